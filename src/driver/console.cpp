#include "console.h"

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
#include "console_commands.h"
#include "console_complete.h"
#include "console_view.h"
#include "parser/parse.h"
#include "privileges.h"
#include "protocol.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

std::string history_file() {
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.lt_history" : "";
}

// Brackets, quotes and comments that are still open. A `<` opens a span's block where it ends the line.
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

// Does more have to follow? So it is where only the end of a span's block is missing, and where there is no probe yet.
bool goes_on(const std::string& text) {
    const auto is_probe = [](const ast::Item& item) {
        return std::holds_alternative<ast::Action>(item.node) || std::holds_alternative<ast::SpanAction>(item.node);
    };
    if (const auto program = parsed(text)) return std::ranges::none_of(program->items, is_probe);
    return text.find('<') != text.npos && parsed(text + "\n>").has_value();
}

// An empty line at the end ends an entry in any case.
bool is_whole(std::string_view text) {
    if (trim(text).empty() || text.ends_with("\n")) return true;
    const std::vector<std::string> words = words_of(text);
    if (words.empty() || is_command(words[0]) || Console::command_meant(std::string(text), words[0])) return true;
    return !is_open(text) && !goes_on(std::string(text));
}

// What makes sense for each of several traces; other options belong to a program.
constexpr std::array shared_options{
    Option::process,     Option::follow,       Option::cgroup,         Option::container,    Option::verbose,
    Option::attach_with, Option::max_map_keys, Option::header_folders, Option::headers,      Option::unsafe,
    Option::stats,       Option::timestamps,   Option::quiet,          Option::max_overhead, Option::record,
    Option::warnings,    Option::no_warnings,  Option::no_feature,     Option::needless,     Option::debug_folders,
    Option::traceable};

Status options_fit(const Command& command) {
    for (const auto& [option, value] : command.options) {
        if (std::ranges::find(shared_options, option) != shared_options.end()) continue;
        const auto row = std::ranges::find(option_rows(), option, &OptionRow::id);
        return Error{fmt::format("{} needs a program", split(row->names, ',').back()),
                     "give one with -e or as a file; without one lt is a console", 0};
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
        fmt::print(screen_.messages(), "lt: cannot be asked from outside (lt ctl): {}\n", control.error().what);
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

// Those that would end the process, and a terminal of another size. What is started has its own mask.
Status Console::block_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&set, signal);
    signals_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals_ < 0) return system_error("signalfd", errno);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    return Done{};
}

Console::~Console() {
    editor_.reset();
    if (signals_ >= 0) close(signals_);
}

int Console::run() {
    screen_.write(
        "Type a probe and what it does, as in  sc:read < @ns[comm] = dist(latency); >  or help. Ctrl-D ends.\n");
    while (!quitting_) {
        const std::optional<std::string> text = editor_->read(std::exchange(again_, ""));
        if (!text) break;
        screen_.leave();
        take_entry(*text);
        turn_traces();
    }
    screen_.set_view(nullptr);
    screen_.show();
    return 0;
}

// A command or a program. With a mistake in it, it is edited again.
void Console::take_entry(const std::string& text) {
    const std::vector<std::string> words = words_of(text);
    if (words.empty()) return;
    if (screen_.recorder()) screen_.recorder()->entered(trim(text));
    if (!is_command(words[0])) {
        const std::optional<Error> meant = command_meant(text, words[0]);
        if (meant) tell(*meant);
        if (meant || !start(text)) again_ = text;
        return;
    }
    const std::unique_ptr<Printer> printer = text_printer(screen_);
    const Status done = run_console_command(*this, text, *printer);
    if (done) return;
    tell(done.error());
    again_ = text;
}

void Console::tell(const Error& error) {
    Diags diags;
    diags.error({}, error.what).hint = error.hint;
    fmt::print(screen_.messages(), "{}", draw({}, diags.all().front(), false));
}

bool Console::start(const std::string& text) {
    auto entry = std::make_unique<Entry>(last_number_ + 1, text, command_,
                                         Shared{kernel_.get(), nullptr, screen_.messages(), false}, screen_);
    const bool started = entry->start();
    kernel_->declare({});  // what the text has declared in C is its own
    if (!started) return false;
    last_number_++;
    const size_t places = entry->places();
    if (places > 0)
        fmt::print(screen_.messages(), "[{}] tracing {} probe{}\n", last_number_, places, places == 1 ? "" : "s");
    if (places > 0 && !entry->trace().plan().maps.empty()) watch({{last_number_, ""}});
    entries_.push_back(std::move(entry));
    return true;
}

// Ctrl-C: what is drawn anew is over, and traces that print are paused.
void Console::quieten() {
    screen_.set_view(nullptr);
    for (const auto& entry : entries_) {
        if (!entry->prints() || entry->trace().paused()) continue;
        const int n = entry->number();
        if (const Status paused = entry->trace().pause(); !paused)
            fmt::print(screen_.messages(), "lt: [{}] {}\n", n, paused.error().what);
        else
            fmt::print(screen_.messages(), "[{0}] paused; resume {0} lets it print again, stop {0} ends it\n", n);
    }
}

// Words that are no program, the first of them nearly a command's.
std::optional<Error> Console::command_meant(const std::string& text, const std::string& word) {
    if (text.find_first_of("{}<>=:") != text.npos || find_probe(word)) return {};
    std::vector<std::string_view> names;
    for (const CommandText& command : all_commands()) names.push_back(command.name);
    const std::vector<std::string> near = closest(word, names);
    if (near.empty()) return {};
    return Error{fmt::format("there is no command {}", quoted(word)), fmt::format("did you mean {}?", either(near)), 0};
}

void Console::watch(std::vector<std::pair<int, std::string>> maps) {
    if (maps.empty()) return screen_.set_view(nullptr);
    auto view = std::make_shared<MapView>(std::move(maps));
    screen_.set_view([this, view](Screen::Size room) { return view->draw(*this, room); });
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

// A key before anything else, so that a trace that prints much does not lock the keyboard.
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
