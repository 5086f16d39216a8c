// lt: reads the command line and does what it asks for.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/text.h"
#include "driver/agent/verb.h"
#include "driver/cli/command.h"
#include "driver/cli/failure.h"
#include "driver/cli/standard_streams.h"
#include "driver/cli/verbs.h"
#include "driver/console/commands.h"
#include "driver/console/console.h"
#include "driver/console/help.h"
#include "driver/console/shells.h"
#include "driver/control/commands.h"
#include "driver/control/ctl.h"
#include "driver/doctor/doctor.h"
#include "driver/doctor/systemtap.h"
#include "driver/format/format_verb.h"
#include "driver/merge/diff.h"
#include "driver/merge/merge.h"
#include "driver/pipeline/list.h"
#include "driver/pipeline/plan_compiler.h"
#include "driver/pipeline/port.h"
#include "driver/pipeline/script.h"
#include "driver/pipeline/tool_list.h"
#include "driver/pipeline/wait.h"
#include "driver/pipeline/why.h"
#include "driver/recording/recording_file.h"
#include "driver/run/plan_fitter.h"
#include "driver/run/saved.h"
#include "driver/run/work.h"
#include "driver/target/chosen_kernel.h"
#include "driver/target/describe_kernel.h"
#include "driver/target/traced.h"
#include "driver/tools/other_tools.h"
#include "driver/tools/tool_words.h"
#include "driver/tools/tools.h"
#include "driver/triage/triage.h"
#include "stdlib/causes.h"

namespace lt {
namespace {

// Is it a script instead of a pattern? Yes if it is a file, or is named like one.
bool lists_program(const Command& command) {
    if (!command.has(Option::list)) return false;
    const std::string text = command.text(Option::list);
    if (text.empty()) return true;  // that of -e
    constexpr std::array endings{".lt", ".bt", ".stp", ".plan"};
    const bool is_named = std::ranges::any_of(endings, [&](const char* ending) { return text.ends_with(ending); });
    std::error_code failed;
    return (is_named && text.find_first_of("*?:[") == text.npos) || std::filesystem::is_regular_file(text, failed);
}

int ask_kernel(const Command& command) {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel(kernel_places(command));
    if (!kernel) return failure(kernel.error());
    if (command.has(Option::info)) {
        fmt::print("{}", features_text(**kernel));
        return 0;
    }
    const Result<Traced> traced = traced_of(command);
    if (!traced) return failure(traced.error());
    const Listing how{command.has(Option::verbose), traced->process, command.has(Option::bpftrace)};
    const Status listed = list_probes(**kernel, command.text(Option::list), how);
    return listed ? 0 : failure(listed.error());
}

Error with_verb_meant(const Command& command, Error error);
int with_program(const Command& command, const Shared& shared, int (*work)(Job&));
Status belongs_to(const Command& command, std::string_view verb);

int list_program(Command command) {
    if (!command.has(Option::program)) command.file = command.text(Option::list);
    return with_program(command, {}, list);
}

// Does one thing with the script or saved plan that a command line names.
int with_program(const Command& command, const Shared& shared, int (*work)(Job&)) {
    Result<Source> source = read_source(command);
    if (!source && command.file.empty() && !command.has(Option::bpftrace)) return misuse(source.error());
    if (!source) return failure(with_verb_meant(command, source.error()));
    const std::string_view plan = plan_within(source->text);
    if (is_saved_plan(plan)) return with_plan(command, {source->name, std::string(plan)}, shared, list_at_hand, work);
    Job job = script_job(command, *std::move(source), shared);
    return work(job);
}

// Prints lt's help, and the script's own if there is one; of a tool only its own.
int print_help(const Command& command) {
    if (!command.script_help && command.tool.empty()) fmt::print("{}", command.help);
    if (command.file.empty() && !command.has(Option::program)) return 0;
    return with_program(command, {}, help);
}

// Other words are for a `$1` in a span; without one they are the rest of a span that is not quoted.
bool has_rest(const Command& command) {
    return !command.positional.empty() && command.text(Option::program).find('$') == std::string::npos;
}

// `lt wait SPAN`: runs the span's script with --count 1.
int wait(int argc, const char* const* argv) {
    Result<Command> command = read_command(argc, argv);
    if (!command) return misuse(command.error());
    if (const Status fits = belongs_to(*command, "wait"); !fits) return misuse(fits.error());
    command->verb = "wait";
    command->options.try_emplace(Option::count, "1");
    if (!command->has(Option::program)) command->options[Option::program] = command->file;
    command->file.clear();
    if (command->text(Option::program).empty())
        return misuse(
            {"wait takes a span or a probe", "for example `lt wait 'sc:fsync > 100ms' -n1 && ./collect.sh`", 0});
    if (has_rest(*command))
        return misuse({"wait takes one span, in quotes", "for example `lt wait 'sc:read /pid == 42/' -n1`", 0});
    Job job = script_job(*command, waiting_program(Source{"-e", command->text(Option::program)}));
    return run(job);
}

int triage_machine(const Command& command) {
    const Result<triage::Options> options = triage::read_options(command);
    if (!options) return misuse(options.error());
    const Result<int> status = triage::run(command, *options);
    return status ? *status : failure(status.error());
}

// `lt triage [TIME]`
int triage_verb(int argc, const char* const* argv) {
    const Result<Command> command = read_command(argc, argv);
    return command ? triage_machine(*command) : misuse(command.error());
}

// `lt why SPAN [--slow TIME [--keep TIME]]`, `lt why FILE.ltr`; `lt why -p PID` and the like: the threads of a process,
// a command, a cgroup or a container; `lt why --all`: all programs, for 10 s; `lt why`: triage.
int why(int argc, const char* const* argv) {
    constexpr std::string_view example = "for example `lt why sc:fsync --slow 10ms`";
    const std::vector<std::string> words = with_joined_slow({argv, argv + argc});
    if (words.back() == "--slow") return misuse({"--slow needs a time", std::string(example), 0});
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    Result<Command> command = read_command(static_cast<int>(pointers.size()), pointers.data());
    if (!command && words.back().starts_with("--slow="))
        return misuse({"--slow takes a time, and stands beside a span", std::string(example), 0});
    if (!command) return misuse(command.error());
    if (const Status fits = belongs_to(*command, "why"); !fits) return misuse(fits.error());
    command->verb = "why";
    constexpr std::array whose{Option::process, Option::command, Option::cgroup, Option::container};
    const bool traced = std::ranges::any_of(whose, [&](Option option) { return command->has(option); });
    const bool has_span = !command->file.empty() || command->has(Option::program);
    if (command->has(Option::all) && (traced || has_span))
        return misuse({"--all explains the time of all programs, so it takes no span, process or command",
                       "for example `lt why --all --duration 5s`", 0});
    if (command->file.empty() && !command->has(Option::program)) {
        if (!traced && !command->has(Option::all)) return triage_machine(*command);
        if (!traced) command->options.try_emplace(Option::duration, "10s");
        constexpr std::array wider{Option::follow, Option::cgroup, Option::container};  // they choose the threads
        const bool is_wider = std::ranges::any_of(wider, [&](Option option) { return command->has(option); });
        const bool of_command = command->has(Option::command) && !is_wider;
        Job job = script_job(*command, explaining_threads(command->has(Option::process), of_command));
        return run(job);
    }
    if (names_recording(command->file)) {
        if (!command->options.empty() || !command->params.empty() || !command->positional.empty())
            return misuse({"why takes nothing beside a recording", "for example `lt why lt-20261125-192051.ltr`", 0});
        const Status explained = explain_file(command->file);
        return explained ? 0 : failure(explained.error());
    }
    const bool all_slow = std::ranges::any_of(command->params, [](const ParamSetting& p) { return p.name == "slow"; });
    const std::string span = command->has(Option::program) ? command->text(Option::program) : command->file;
    command->options[Option::program] = span;
    command->file.clear();
    if (has_rest(*command))
        return misuse({"why takes one span, in quotes", "for example `lt why 'sc:read /pid == 42/' --slow 10ms`", 0});
    if (command->has(Option::keep) && !all_slow)
        return misuse(
            {"--keep needs to know which calls are slow", "for example `lt why sc:fsync --slow 100ms --keep 10s`", 0});
    Result<Source> whole = explaining_program(Source{"-e", span}, all_slow, command->has(Option::keep));
    if (!whole) return failure(whole.error());
    // each call is two results: its line, and where its time went
    if (const auto calls = parse_number<uint32_t>(command->text(Option::count)))
        command->options[Option::count] = std::to_string(uint64_t{*calls} * 2);
    Job job = script_job(*command, *std::move(whole));
    return run(job);
}

int print_source(const Command& command) {
    const Result<Source> source = read_source(command);
    if (!source) return failure(with_verb_meant(command, source.error()));
    fmt::print("{}", source->text);
    return 0;
}

int console(const Command& command) {
    Result<std::unique_ptr<Console>> console = Console::open(command);
    return console ? (*console)->run() : failure(console.error());
}

// `lt doctor [--kernel DIR]`
int doctor(int argc, const char* const* argv) {
    const Result<Command> command = read_command(argc, argv);
    if (!command) return misuse(command.error());
    if (const Status fits = takes_only(*command, "doctor", kernel_options); !fits) return misuse(fits.error());
    if (!command->file.empty())
        return misuse({fmt::format("doctor takes no words, such as `{}`", command->file),
                       "`lt doctor` is about this machine, `lt doctor --kernel DIR` about a kernel in a folder", 0});
    Result<std::unique_ptr<Kernel>> kernel = open_kernel(kernel_places(*command));
    return kernel ? doctor(**kernel, command->text(Option::kernel)) : failure(kernel.error());
}

// Does the name say that it is a script or a plan?
bool names_script(std::string_view word) {
    constexpr std::array<std::string_view, 4> suffixes{".lt", ".bt", ".stp", ".plan"};
    return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return word.ends_with(suffix); });
}

// `lt check [options] FILE...`, or `SCRIPT WORD...`. Returns 1 if one of them does not compile or, for a plan, does not
// load.
int check_files(int argc, const char* const* argv) {
    Result<Command> given = read_command(argc, argv);
    if (!given) return misuse(given.error());
    if (const Status taken = take_systemtap(*given); !taken) return failure(taken.error());
    // other words after a script are its arguments
    const bool takes_words = names_script(given->file) || is_systemtap(*given);
    std::vector<std::string> files{given->file}, words;
    for (const std::string& word : given->positional)
        (takes_words && (is_systemtap(*given) || !names_script(word)) ? words : files).push_back(word);
    if (given->file.empty() && !given->has(Option::program))
        return misuse({"check takes files", "for example `lt check slow.lt`", 0});
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(*given);
    if (!kernel) return failure(kernel.error());
    int status = 0;
    for (const std::string& file : files) {
        Command command = *given;
        command.file = file;
        command.positional = words;
        (*kernel)->declare({});  // each script has its own C declarations
        if (with_program(command, {.kernel = kernel->get()}, check) != 0) status = 1;
    }
    return status;
}

// Options that would change nothing in a run, so that one who types them expects something else.
struct OptionOfVerb {
    Option option;
    std::string_view verb, hint;
};
constexpr std::string_view other_checks =
    "`lt check FILE` compiles a script, `lt fmt --check FILE` looks at its format";
constexpr std::string_view as_agent = "`lt agent FILE` runs a script and serves its maps as metrics";
constexpr std::array options_of_verbs{
    OptionOfVerb{Option::format_check, "fmt", other_checks},
    OptionOfVerb{Option::format_diff, "fmt", other_checks},
    OptionOfVerb{Option::listen, "agent", as_agent},
    OptionOfVerb{Option::max_series, "agent", as_agent},
    OptionOfVerb{Option::otlp, "agent", as_agent},
    OptionOfVerb{Option::export_interval, "agent", as_agent},
    OptionOfVerb{Option::late, "agent", "`lt why SPAN --slow TIME` explains calls that take longer"},
    OptionOfVerb{Option::ttl, "agent", "a run ends after --duration TIME"},
    OptionOfVerb{Option::all, "why", "a script sees all programs, unless -p or the like is given"},
};

// To a verb that makes a script of a span, or to a script itself; `verb` is empty then.
Status belongs_to(const Command& command, std::string_view verb) {
    for (const OptionOfVerb& row : options_of_verbs)
        if (command.has(row.option) && row.verb != verb)
            return Error{
                fmt::format("{} is an option of `lt {}`", split(option_row(row.option).names, ',').back(), row.verb),
                std::string(row.hint), 0};
    for (const Option option : {Option::version, Option::info, Option::describe, Option::print, Option::record})
        if (!verb.empty() && command.has(option))
            return Error{fmt::format("{} does not take {}", verb, option_name(option)),
                         fmt::format("`lt {} --help` explains it", verb), 0};
    return Done{};
}

bool is_console(const Command& command) {
    const bool on_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
    if (command.has(Option::bpftrace)) return false;
    return command.file.empty() && !command.has(Option::program) && on_terminal;
}

Status record_fits(const Command& command) {
    if (!command.has(Option::record) || is_console(command)) return Done{};
    return Error{"--record only works in the console, on a terminal",
                 "use -o FILE to write a script's results to a file", 0};
}

// `lt help`, `lt help WORD`: a verb, or what the console explains.
int explain(int argc, const char* const* argv) {
    if (argc < 2) {
        const Result<Command> command = read_command(1, argv);
        fmt::print("{}", command ? command->help : "");
        return 0;
    }
    const std::string topic = join(std::vector<std::string>(argv + 1, argv + argc), " ");
    if (argc > 2 && causes_named(topic).empty())
        return misuse({"help takes one word", "for example `lt help hist`", 0});
    if (const VerbText* verb = find_verb(topic)) {
        fmt::print("{}", verb_help(*verb));
        return 0;
    }
    const Result<std::string> text =
        help_on(topic, "`lt help` lists the commands and options, lt-language(7) the words of the language");
    if (!text) return failure(text.error());
    fmt::print("{}", *text);
    return 0;
}

// `lt completion bash [lt-run]`
int completion(int argc, const char* const* argv) {
    if (argc != 2 && argc != 3)
        return misuse({"completion takes the name of a shell or an editor", "for example `lt completion bash`", 0});
    const Result<std::string> text = file_for(argv[1], argc == 3 ? argv[2] : "lt");
    if (!text) return misuse(text.error());
    fmt::print("{}", *text);
    return 0;
}

// The script's parameters have names on the command line, which may also name a tool.
Result<Command> read_tool_command(int argc, const char* const* argv) {
    const int at = script_word(argc, argv);
    const std::string word = at < argc ? argv[at] : "", path = script_path(word);
    // Imported files are read only if a word may be a parameter of theirs.
    Result<Command> command = read_command(
        argc, argv, path.ends_with(".lt") ? params_of_file(path, at + 1 < argc) : std::vector<ScriptParam>{},
        Program::lt, path == word ? "" : word);
    if (!command || path == word || command->file != word) return command;
    command->tool = word;
    command->file = path;
    return command;
}

// A script's words that it does not use are ignored, as in bpftrace; a tool's would not select what they seem to.
Status words_fit(const Command& command) {
    if (command.tool.empty()) return Done{};
    const Result<Source> script = read_source(command);
    return script ? words_fit_tool(command, *script) : Done{};
}

// `lt build SCRIPT -o FILE.plan`: --save by another name.
int build(int argc, const char* const* argv) {
    Result<Command> command = read_tool_command(argc, argv);
    if (!command) return misuse(command.error());
    if (command->has(Option::output)) command->options[Option::save] = command->text(Option::output);
    command->options.erase(Option::output);
    if (!is_saving(*command) || (command->file.empty() && !command->has(Option::program)))
        return misuse(
            {"build takes a script, and a file for its plan", "for example `lt build slow.lt -o slow.plan`", 0});
    if (const Status fits = words_fit(*command); !fits) return misuse(fits.error());
    if (const Status taken = take_systemtap(*command); !taken) return failure(taken.error());
    if (const Status taken = take_kernels(*command); !taken) return misuse(taken.error());
    return with_program(*command, {}, run);
}

struct Verb {
    std::string_view word;
    int (*run)(int argc, const char* const* argv);  // argv starts at the word
};
constexpr std::array verbs{
    Verb{"check", check_files},
    Verb{"set", set},
    Verb{"ctl", ctl},
    Verb{"doctor", doctor},
    Verb{"wait", wait},
    Verb{"build", build},
    Verb{"port", port_program},
    Verb{"why", why},
    Verb{"help", explain},
    Verb{"completion", completion},
    Verb{"triage", triage_verb},
    Verb{"tools", list_tools},
    Verb{"view", view},
    Verb{"fmt", format_files},
    Verb{"merge", merge_runs},
    Verb{"diff", diff_runs},
    Verb{"agent", agent_verb},
};

// `lt why --help`, `lt why sc:read -h`. ctl has its own.
bool asks_for_help(int argc, const char* const* argv) {
    if (argv[0] == std::string_view("ctl")) return false;
    const auto* const end = std::find(argv + 1, argv + argc, std::string_view("--"));
    return std::any_of(argv + 1, end, [](std::string_view word) { return word == "-h" || word == "--help"; });
}

// Runs the verb that argv starts with; nothing if it is not one.
std::optional<int> run_verb(int argc, const char* const* argv) {
    const auto* const verb = std::ranges::find(verbs, std::string_view(argc > 0 ? argv[0] : ""), &Verb::word);
    if (verb == verbs.end()) return {};
    if (!asks_for_help(argc, argv)) return verb->run(argc, argv);
    fmt::print("{}", verb_help(*find_verb(verb->word)));
    return 0;
}

// `lt -q wait SPAN`: the options of a verb may stand before it. A file of that name is a script.
std::optional<int> run_late_verb(const Command& command, int argc, const char* const* argv) {
    std::error_code failed;
    if (find_verb(command.file) == nullptr || command.has(Option::program) ||
        std::filesystem::exists(command.file, failed))
        return {};
    std::vector<const char*> words(argv + 1, argv + argc);
    const auto at = std::ranges::find(words, std::string_view(command.file));
    if (at == words.end()) return {};
    std::rotate(words.begin(), at, at + 1);
    return run_verb(static_cast<int>(words.size()), words.data());
}

// `lt list`, `lt record`, `lt replay`: not commands of lt itself. Empty if the word is none of these.
std::string hint_for_foreign_command(std::string_view word) {
    if (word == "replay")
        return "`lt --from FILE.ltr SCRIPT` runs a script on the events of a snapshot, `lt view FILE.ltr` shows them";
    const auto form = [](const CommandText& text) {
        return fmt::format("{}{}{}", text.name, text.arguments.empty() ? "" : " ", text.arguments);
    };
    if (const CommandRow* row = find_command(word))
        return fmt::format("a command for a running lt: `lt ctl {}`", form(row->text));
    for (const ConsoleRow& row : console_rows())
        if (row.text.name == word) return fmt::format("a command of the console: type `lt`, then `{}`", form(row.text));
    return "";
}

// `lt doctr`, `lt runqlt`: not a file, but a command or a tool of another place, or nearly one of lt's commands or
// tools.
Error with_verb_meant(const Command& command, Error error) {
    if (error.code != ENOENT) return error;
    error.hint = hint_for_foreign_command(command.file);
    const std::string_view other = words_for_other_tool(command.file);
    if (!other.empty()) error.hint = fmt::format("lt has it as `lt {}`", other);
    if (!error.hint.empty()) return error;
    std::vector<std::string_view> words;
    for (const VerbText& verb : verb_texts()) words.push_back(verb.word);
    const std::vector<Tool> tools = all_tools();
    for (const Tool& tool : tools) words.emplace_back(tool.name);
    const std::vector<std::string> near = closest(command.file, words);
    if (!near.empty()) error.hint = did_you_mean(near, "lt ");
    return error;
}

// Scripts query the version before they use a feature: the release whose language lt reads and whose output it prints.
constexpr std::string_view bpftrace_version = "bpftrace v0.26.0";

int run_command_line(int argc, const char* const* argv) {
    const bool has_verbs = !std::string_view(argv[0]).ends_with(
        "bpftrace");  // bpftrace has no such commands, but scripts may have these names
    if (has_verbs)
        if (const std::optional<int> status = run_verb(argc - 1, argv + 1)) return *status;
    Result<Command> command = has_verbs ? read_tool_command(argc, argv) : read_command(argc, argv);
    if (!command) return has_verbs ? misuse(command.error()) : failure(command.error());
    if (has_verbs)
        if (const std::optional<int> status = run_late_verb(*command, argc, argv)) return *status;
    if (const Status taken = take_systemtap(*command); !taken) return failure(taken.error());
    if (const Status taken = take_kernels(*command); !taken) return misuse(taken.error());
    const Command& c = *command;
    if (c.has(Option::help) || c.script_help) return print_help(c);
    if (c.has(Option::version)) {
        fmt::print("{}\n", c.has(Option::bpftrace) ? bpftrace_version : "lt " LT_VERSION);
        return 0;
    }
    if (c.has(Option::print)) return print_source(c);
    if (const Status fits = record_fits(c); !fits) return misuse(fits.error());
    if (const Status fits = belongs_to(c, ""); !fits) return misuse(fits.error());
    if (const Status fits = words_fit(c); !fits) return misuse(fits.error());
    if (lists_program(c)) return list_program(c);
    if (c.has(Option::describe)) return describe_kernel(c);
    if (c.has(Option::info) || c.has(Option::list)) return ask_kernel(c);
    if (is_console(c)) return console(c);
    return with_program(c, {}, run);
}

}  // namespace
}  // namespace lt

int main(int argc, char** argv) {
    lt::prepare_standard_streams();
    return lt::status_of_streams(lt::run_command_line(argc, argv));
}
