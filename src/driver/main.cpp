// lt: reads the command line and does the one thing it asks for.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/text.h"
#include "command.h"
#include "console.h"
#include "ctl.h"
#include "doctor.h"
#include "list.h"
#include "pipeline.h"
#include "port.h"
#include "saved.h"
#include "script.h"
#include "systemtap.h"
#include "traced.h"
#include "wait.h"

namespace lt {
namespace {

int fail(const Error& e) {
    Diags diags;
    diags.error({}, e.what).hint = e.hint;
    fmt::print(stderr, "{}", draw({}, diags.all().front(), false));
    return 1;
}

// Is it a program instead of a pattern? What is a file, or is named like one.
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
    if (!kernel) return fail(kernel.error());
    if (command.has(Option::info)) {
        tell_features(**kernel);
        return 0;
    }
    const Result<Traced> traced = traced_of(command);
    if (!traced) return fail(traced.error());
    const Listing how{command.has(Option::verbose), traced->process, command.has(Option::bpftrace)};
    const Status listed = list_probes(**kernel, command.text(Option::list), how);
    return listed ? 0 : fail(listed.error());
}

Error with_verb_meant(const Command& command, Error error);
int with_pipeline(const Command& command, const Shared& shared, int (Pipeline::*work)());

int list_program(Command command) {
    if (!command.has(Option::program)) command.file = command.text(Option::list);
    return with_pipeline(command, {}, &Pipeline::list);
}

// Does one thing with a plan. What of bpftrace's is in it was decided when it was compiled.
int with_plan(Command command, const Source& file, const Shared& shared, int (Pipeline::*work)()) {
    Result<SavedPlan> saved = read_plan(file);
    if (!saved) return fail(saved.error());
    command.options.erase(Option::bpftrace);
    Pipeline pipeline(command, *std::move(saved), shared);
    return (pipeline.*work)();
}

// A program that --aot wrote: all words are the plan's.
int run_own_plan(int argc, const char* const* argv, std::string plan) {
    std::vector<const char*> words(argv, argv + argc);
    words.insert(words.begin() + 1, argv[0]);  // as in lt FILE
    Result<Command> command = read_command(argc + 1, words.data());
    if (!command) return fail(command.error());
    command->options.erase(Option::systemtap);  // whatever the program is called
    command->file = argv[0];
    const Source file{argv[0], std::move(plan)};
    if (command->has(Option::help) || command->script_help) {
        if (!command->script_help) fmt::print("{}", command->help);
        return with_plan(*command, file, {}, &Pipeline::help);
    }
    return with_plan(*command, file, {}, command->has(Option::list) ? &Pipeline::list : &Pipeline::run);
}

// Does one thing with what a command line names: a script, or a plan that was saved.
int with_pipeline(const Command& command, const Shared& shared, int (Pipeline::*work)()) {
    Result<Source> source = read_source(command);
    if (!source) return fail(with_verb_meant(command, source.error()));
    const std::string_view plan = plan_within(source->text);
    if (is_saved_plan(plan)) return with_plan(command, {source->name, std::string(plan)}, shared, work);
    Pipeline pipeline(command, *std::move(source), shared);
    return (pipeline.*work)();
}

// Of lt, and of the script where one is given.
int help(const Command& command) {
    if (!command.script_help) fmt::print("{}", command.help);
    if (command.file.empty() && !command.has(Option::program)) return 0;
    return with_pipeline(command, {}, &Pipeline::help);
}

// lt wait SPAN: as with the span's program and --count 1.
int wait(int argc, const char* const* argv) {
    Result<Command> command = read_command(argc, argv);
    if (!command) return fail(command.error());
    command->waits = true;
    command->options.try_emplace(Option::count, "1");
    if (!command->has(Option::program)) command->options[Option::program] = command->file;
    command->file.clear();
    if (command->text(Option::program).empty())
        return fail({"wait takes a span or a probe", "for example lt wait 'sc:fsync > 100ms' -n1 && ./collect.sh", 0});
    return Pipeline(*command, waiting_program(Source{"-e", command->text(Option::program)})).run();
}

int console(const Command& command) {
    Result<std::unique_ptr<Console>> console = Console::open(command);
    return console ? (*console)->run() : fail(console.error());
}

// lt doctor [--kernel DIR]
int doctor(int argc, const char* const* argv) {
    const Result<Command> command = read_command(argc, argv);
    if (!command) return fail(command.error());
    Result<std::unique_ptr<Kernel>> kernel = open_kernel(kernel_places(*command));
    return kernel ? doctor(**kernel, !command->has(Option::kernel)) : fail(kernel.error());
}

// lt check [options] FILE..., or SCRIPT.stp WORD...: 1 if one of them does not compile or, of plans, does not load.
int check(int argc, const char* const* argv) {
    Result<Command> given = read_command(argc, argv);
    if (!given) return fail(given.error());
    if (const Status taken = take_systemtap(*given); !taken) return fail(taken.error());
    // words that a program of SystemTap takes are its own
    const bool takes_words = is_systemtap(*given);
    const std::vector<std::string> words = takes_words ? given->positional : std::vector<std::string>{};
    std::vector<std::string> files = takes_words ? std::vector<std::string>{} : given->positional;
    files.insert(files.begin(), given->file);
    if (given->file.empty() && !given->has(Option::program))
        return fail({"check takes files", "for example lt check slow.lt", 0});
    Result<std::unique_ptr<Kernel>> kernel = kernel_asked(*given);
    if (!kernel) return fail(kernel.error());
    int status = 0;
    for (const std::string& file : files) {
        Command command = *given;
        command.file = file;
        command.positional = words;
        (*kernel)->declare({});  // what the last one has declared in C is its own
        if (with_pipeline(command, {.kernel = kernel->get()}, &Pipeline::tell) != 0) status = 1;
    }
    return status;
}

bool is_console(const Command& command) {
    const bool on_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
    if (command.has(Option::bpftrace)) return false;
    return command.file.empty() && !command.has(Option::program) && on_terminal;
}

Status record_fits(const Command& command) {
    if (!command.has(Option::record) || is_console(command)) return Done{};
    return Error{"--record is for the console, on a terminal", "results of a script go to a file with -o FILE", 0};
}

struct Verb {
    std::string_view word;
    int (*run)(int argc, const char* const* argv);  // from the word on
};
constexpr std::array verbs{
    Verb{"check", check},   Verb{"set", set},   Verb{"ctl", ctl},
    Verb{"doctor", doctor}, Verb{"wait", wait}, Verb{"port", port_program},
};

// `lt doctr`: no file, but nearly a word that lt knows.
Error with_verb_meant(const Command& command, Error error) {
    std::vector<std::string_view> words;
    for (const Verb& verb : verbs) words.push_back(verb.word);
    const std::vector<std::string> near = closest(command.file, words);
    if (error.code == ENOENT && !near.empty()) error.hint = fmt::format("did you mean lt {}?", either(near));
    return error;
}

// What scripts find out before they use a feature: the release whose language lt takes and whose forms it prints.
constexpr std::string_view bpftrace_version = "bpftrace v0.26.0";

int run(int argc, const char* const* argv) {
    const bool has_verbs = !std::string_view(argv[0]).ends_with("bpftrace");  // that has none, but scripts so named
    Result<std::string> plan = own_plan();
    if (!plan) return fail(plan.error());
    if (!plan->empty()) return run_own_plan(argc, argv, *std::move(plan));
    for (const auto& [word, verb] : verbs)
        if (has_verbs && argc > 1 && argv[1] == word) return verb(argc - 1, argv + 1);
    Result<Command> command = read_command(argc, argv);
    if (!command) return fail(command.error());
    if (const Status taken = take_systemtap(*command); !taken) return fail(taken.error());
    const Command& c = *command;
    if (c.has(Option::help) || c.script_help) return help(c);
    if (c.has(Option::version)) {
        fmt::print("{}\n", c.has(Option::bpftrace) ? bpftrace_version : "lt " LT_VERSION);
        return 0;
    }
    if (const Status fits = record_fits(c); !fits) return fail(fits.error());
    if (lists_program(c)) return list_program(c);
    if (c.has(Option::info) || c.has(Option::list)) return ask_kernel(c);
    if (is_console(c)) return console(c);
    return with_pipeline(c, {}, &Pipeline::run);
}

}  // namespace
}  // namespace lt

int main(int argc, char** argv) { return lt::run(argc, argv); }
