#include "driver/console/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/diag.h"
#include "base/text.h"
#include "base/wrap.h"
#include "driver/cli/privileges.h"
#include "driver/console/commands.h"
#include "driver/console/complete.h"
#include "driver/console/line.h"
#include "driver/control/protocol.h"
#include "driver/target/chosen_kernel.h"
#include "driver/tools/other_tools.h"
#include "driver/tools/tools.h"
#include "driver/view/view.h"
#include "parser/parse.h"
#include "runtime/border/script_signals.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

std::string history_file() {
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.lt_history" : "";
}

// Is a bracket, quote or comment still open? A `<` at the end of a line opens a span's block.
bool is_open(std::string_view text) {
    int depth = 0;
    bool quoted_part = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (quoted_part) {
            if (c == '\\') i++;
            if (c == '"') quoted_part = false;
        } else if (text.substr(i).starts_with("//")) {
            i = std::min(text.find('\n', i), text.size());
        } else if (text.substr(i).starts_with("/*")) {
            i = text.find("*/", i + 2);
            if (i == text.npos) return true;
            i++;
        } else if (c == '"') {
            quoted_part = true;
        } else if (std::string_view("({[").find(c) != std::string_view::npos) {
            depth++;
        } else if (std::string_view(")}]").find(c) != std::string_view::npos) {
            depth--;
        }
    }
    return depth > 0;
}

std::optional<ast::Program> parsed(const std::string& text) {
    Diags diags;
    ast::Program program = parse(Source{"", text}, diags);
    return diags.has_errors() ? std::nullopt : std::optional(std::move(program));
}

// Is more input needed? Yes if the end of a span's block is missing, or if there is no probe yet.
bool goes_on(const std::string& text) {
    const auto is_probe = [](const ast::Item& item) {
        return std::holds_alternative<ast::Action>(item.node) || std::holds_alternative<ast::SpanAction>(item.node) ||
               std::holds_alternative<ast::Chain>(item.node);
    };
    if (const auto program = parsed(text)) return std::ranges::none_of(program->items, is_probe);
    return text.find('<') != text.npos && parsed(text + "\n>").has_value();
}

// An empty last line always ends an entry.
bool is_whole(std::string_view text) {
    if (trim(text).empty() || text.ends_with("\n")) return true;
    const std::vector<std::string> words = words_of(text);
    if (is_command_line(text)) return shell_words(text).has_value();
    if (words.empty() || is_command(words[0]) || Console::command_meant(std::string(text), words[0])) return true;
    return !is_open(text) && !goes_on(std::string(text));
}

// Options that make sense for each of several traces; others belong to one script.
constexpr std::array shared_options{
    Option::process,     Option::follow,       Option::cgroup,         Option::container,    Option::verbose,
    Option::attach_with, Option::max_map_keys, Option::header_folders, Option::headers,      Option::unsafe,
    Option::stats,       Option::timestamps,   Option::quiet,          Option::max_overhead, Option::record,
    Option::warnings,    Option::no_warnings,  Option::no_feature,     Option::needless,     Option::debug_folders,
    Option::traceable};

// Those that one line of the console can have besides: they are about its trace alone.
constexpr std::array line_options{Option::program,  Option::duration,   Option::count,   Option::self,
                                  Option::sort,     Option::top,        Option::columns, Option::history,
                                  Option::bpftrace, Option::histograms, Option::live};

Status options_fit(const Command& command) {
    for (const auto& [option, value] : command.options) {
        if (std::ranges::find(shared_options, option) != shared_options.end()) continue;
        const auto row = std::ranges::find(option_rows(), option, &OptionRow::id);
        return Error{fmt::format("{} needs a program", split(row->names, ',').back()),
                     "give a script with -e or as a file; without one lt starts the console", 0};
    }
    return Done{};
}

}  // namespace

Result<std::unique_ptr<Console>> Console::open(const Command& command) {
    if (const Status fit = options_fit(command); !fit) return fit.error();
    if (const auto lacking = lacking_privilege()) return *lacking;
    std::unique_ptr<Console> console(new Console(command));
    if (Status prepared = console->prepare(); !prepared) return prepared.error();
    return console;
}

Status Console::prepare() {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel(kernel_places(command_));
    if (!kernel) return kernel.error();
    kernel_ = *std::move(kernel);
    if (Status blocked = block_signals(); !blocked) return blocked;
    Result<std::unique_ptr<Control>> control =
        Control::listen([this](std::string_view request) { return reply(*this, request); });
    if (control)
        control_ = *std::move(control);
    else
        fmt::print(screen_.messages(), "lt: `lt ctl` cannot reach this process: {}\n", control.error().what);
    EditorHost host;
    host.wait = [this](char& key, bool for_keys) { return wait(key, for_keys); };
    host.show = [this] { screen_.show(); };
    host.interrupt = [this] { quieten(); };
    host.whole = is_whole;
    host.complete = [this](std::string_view text) { return complete(*this, text); };
    host.choices = [this](const std::vector<std::string>& words) {
        screen_.aside(in_columns(words, Screen::size().width));
    };
    editor_ = std::make_unique<Editor>(std::move(host), history_file());
    if (!command_.has(Option::record)) return Done{};
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(command_.text(Option::record));
    if (!recorder) return recorder.error();
    screen_.record(*std::move(recorder));
    return Done{};
}

// Blocks the signals that would end the process and leave the terminal as it is while a line is edited, and SIGWINCH.
// Child processes have their own mask.
Status Console::block_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) sigaddset(&set, signal);
    signals_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals_ < 0) return system_error("signalfd", errno);
    // Traces can have blocks for these: the end of one restores the mask from before it, while others still wait.
    for (const int signal : script_signals) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    return Done{};
}

Console::~Console() {
    editor_.reset();
    if (signals_ >= 0) close(signals_);
}

int Console::run() {
    constexpr std::string_view welcome =
        "Type a probe and what it does:  sc:read < @ns[comm] = dist(latency); >\n"
        "or the name of a tool:  runqlat\n"
        "If this machine is slow and you do not know why:  triage\n"
        "help lists what else there is. Ctrl-D leaves.\n";
    screen_.write(wrapped_text(welcome, Screen::size().width));
    while (!quitting_) {
        const std::optional<std::string> text = editor_->read();
        if (!text) break;
        screen_.leave();
        take_entry(*text);
        turn_traces();
    }
    screen_.set_view(nullptr);
    screen_.show();
    return 0;
}

// Runs a command or a script. A text with a mistake is in the history.
void Console::take_entry(const std::string& entered) {
    std::vector<std::string> words = words_of(entered);
    if (words.empty()) return;
    if (screen_.recorder()) screen_.recorder()->entered(trim(entered));
    // `lt triage` is the console's own
    const std::string_view rest = without_lt(entered);
    const bool is_own = rest.data() != entered.data() && is_command(words_of(rest)[0]) && words_of(rest)[0] != "why";
    const std::string text(is_own ? rest : entered);
    if (!is_own && is_command_line(text)) {
        start(text);
        return;
    }
    words = words_of(text);
    if (!is_command(words[0])) {
        const std::optional<Error> meant = command_meant(text, words[0]);
        if (meant)
            report(*meant);
        else
            start(text);
        return;
    }
    const std::unique_ptr<Printer> printer = text_printer(screen_);
    const Status done = run_console_command(*this, text, *printer);
    if (!done) report(done.error());
}

void Console::report(const Error& error) {
    Diags diags;
    diags.error({}, error.what).hint = error.hint;
    fmt::print(screen_.messages(), "{}", draw({}, diags.all().front(), false));
}

// The options of the console apply where the line does not say otherwise.
Result<Command> Console::with_own_options(Command line) const {
    for (const auto& [option, value] : line.options) {
        if (std::ranges::find(shared_options, option) != shared_options.end()) continue;
        if (std::ranges::find(line_options, option) != line_options.end()) continue;
        const auto row = std::ranges::find(option_rows(), option, &OptionRow::id);
        return Error{fmt::format("{} does not work in the console", split(row->names, ',').back()),
                     "type the command in another terminal", 0};
    }
    line.options.insert(command_.options.begin(), command_.options.end());
    return line;
}

bool Console::start(const std::string& text) {
    const std::string name = fmt::format("[{}]", last_number_ + 1);
    if (!is_command_line(text)) return start({name, text}, command_);
    Result<Line> line = read_line(text, name);
    Result<Command> command = line ? with_own_options(std::move(line->command)) : line.error();
    if (!command) return report(command.error()), false;
    return start(std::move(line->source), *std::move(command));
}

bool Console::start_file(const std::string& path, std::string text) {
    Command command = command_;
    command.file = path;
    return start({path, std::move(text)}, std::move(command));
}

bool Console::start(Source source, Command command) {
    auto entry = std::make_unique<Entry>(last_number_ + 1, std::move(source), std::move(command),
                                         Shared{kernel_.get(), nullptr, screen_.messages(), nullptr, false}, screen_);
    const bool started = entry->start();
    kernel_->declare({});  // each script has its own C declarations
    if (!started) return false;
    last_number_++;
    const size_t places = entry->places();
    if (places > 0) fmt::print(screen_.messages(), "[{}] tracing {}\n", last_number_, plural(places, "probe"));
    if (places > 0 && !entry->trace().plan().maps.empty()) watch({{last_number_, ""}});
    entries_.push_back(std::move(entry));
    return true;
}

// Ctrl-C: ends the view and pauses traces that print.
void Console::quieten() {
    screen_.set_view(nullptr);
    for (const auto& entry : entries_) {
        if (!entry->prints() || entry->trace().paused()) continue;
        const int n = entry->number();
        if (const Status paused = entry->trace().pause(); !paused)
            fmt::print(screen_.messages(), "lt: [{}] {}\n", n, paused.error().what);
        else
            fmt::print(screen_.messages(), "[{0}] paused; resume {0} continues it, stop {0} ends it\n", n);
    }
}

// The text is not a script, and its first word is nearly a command.
std::optional<Error> Console::command_meant(const std::string& text, const std::string& word) {
    if (text.find_first_of("{}<>=:") != text.npos || find_probe(word)) return {};
    if (const std::string_view words = words_for_other_tool(word); !words.empty() && words[0] != '-')
        return Error{fmt::format("there is no command or tool {}", quoted(word)),
                     fmt::format("lt has it as `{}`", words), 0};
    std::vector<std::string_view> names;
    for (const CommandText& command : all_commands()) names.push_back(command.name);
    const std::vector<Tool> tools = all_tools();
    for (const Tool& tool : tools) names.push_back(tool.name);
    const std::vector<std::string> near = closest(word, names);
    if (near.empty()) return {};
    return Error{fmt::format("there is no command or tool {}", quoted(word)), did_you_mean(near), 0};
}

void Console::watch(std::vector<std::pair<int, std::string>> maps) {
    if (maps.empty()) return screen_.set_view(nullptr);
    screen_.set_view([this, view = std::make_shared<MapView>(std::move(maps))](Screen::Size room) {
        return view->draw(*this, room);
    });
}

std::vector<std::pair<int, std::function<bool()>>> Console::served() {
    std::vector<std::pair<int, std::function<bool()>>> all;
    all.emplace_back(signals_, [this] {
        signal_ = Wake::output;
        take_signals();
        return signal_ == Wake::interrupt || quitting_;
    });
    if (control_) all.emplace_back(control_->descriptor(), [this] { return control_->serve(), quitting_; });
    for (const auto& entry : entries_)
        all.emplace_back(entry->trace().session().descriptor(), [this] { return turn_traces(), quitting_; });
    return all;
}

std::vector<Trace*> Console::traces() {
    std::vector<Trace*> all;
    for (const auto& entry : entries_) all.push_back(&entry->trace());
    return all;
}

Status Console::stop(Trace& trace) {
    trace.session().stop();
    return Done{};
}

// ---- waiting

// Keys come first, so that a trace that prints a lot does not lock the keyboard.
Wake Console::wait(char& key, bool for_keys) {
    for (;;) {
        const Wake woken = poll_once(for_keys);
        if (quitting_ || woken == Wake::end) return Wake::end;
        if (woken == Wake::key) {
            const ssize_t n = read(STDIN_FILENO, &key, 1);
            if (n == 1) return Wake::key;
            if (n == 0 || (errno != EINTR && errno != EAGAIN)) return Wake::end;
        }
        if (woken == Wake::interrupt || woken == Wake::resize) return woken;
        if (!for_keys && screen_.anything_to_show()) return Wake::output;
    }
}

Wake Console::poll_once(bool for_keys) {
    std::vector<pollfd> all{{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (control_) all.push_back({control_->descriptor(), POLLIN, 0});
    for (const auto& entry : entries_) all.push_back({entry->trace().session().descriptor(), POLLIN, 0});
    if (::poll(all.data(), all.size(), patience(for_keys)) < 0 && errno != EINTR) return Wake::end;
    signal_ = Wake::output;
    if (all[1].revents != 0) take_signals();
    if (control_ && all[2].revents != 0) control_->serve();
    turn_traces();
    if (signal_ != Wake::output) return signal_;
    return all[0].revents != 0 ? Wake::key : Wake::output;
}

void Console::take_signals() {
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGINT)
            signal_ = Wake::interrupt;
        else if (info.ssi_signo == SIGWINCH)
            signal_ = Wake::resize;
        else
            quitting_ = true;
    }
}

int Console::patience(bool for_keys) const {
    if (!for_keys && screen_.anything_to_show()) return 0;
    int least = for_keys ? -1 : screen_.patience();
    for (const auto& entry : entries_) {
        const int own = entry->trace().session().patience();
        if (own >= 0 && (least < 0 || own < least)) least = own;
    }
    return least;
}

void Console::turn_traces() {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const std::optional<Ended> how = (*entry)->turn();
        if (!how) {
            ++entry;
            continue;
        }
        (*entry)->end(*how);
        fmt::print(screen_.messages(), "[{}] ended\n", (*entry)->number());
        entry = entries_.erase(entry);
    }
}

}  // namespace lt
