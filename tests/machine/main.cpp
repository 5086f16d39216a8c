// lt-machine: a script against a scenario, from text to printed text, without a kernel. Results go to standard output;
// diagnostics and losses, worded as lt's own, to standard error.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "base/text.h"
#include "compile/compile.h"
#include "driver/pipeline/rule_out.h"
#include "driver/report/report.h"
#include "machine/simulation.h"

namespace lt::machine {
namespace {

constexpr std::string_view usage =
    "usage: lt-machine [--kernel FOLDER] [--attach-with WAYS] [--max-map-keys N] [--stats yes] [--format json] [--host "
    "yes] [--sampled yes] [--process PID] "
    "SCENARIO SCRIPT";

struct Command {
    std::string kernel;   // a folder
    std::string ways;     // as of lt's --attach-with; empty: all
    std::string keys;     // as of lt's --max-map-keys; empty: the usual number
    std::string stats;    // not empty: with the account of spans
    std::string format;   // json, or text
    std::string sampled;  // not empty: events can be left out
    std::string host;     // not empty: lt runs all blocks that it can
    std::string process;  // whose events are collected; empty: all
    std::string scenario;
    std::string script;
};

Result<Command> read_command(std::vector<std::string> words) {
    Command command;
    if (const char* build = std::getenv("LT_BUILD")) command.kernel = std::string(build) + "/tests/kernel/stock";
    const std::map<std::string, std::string*> options = {
        {"--kernel", &command.kernel},   {"--attach-with", &command.ways}, {"--max-map-keys", &command.keys},
        {"--stats", &command.stats},     {"--format", &command.format},    {"--host", &command.host},
        {"--sampled", &command.sampled}, {"--process", &command.process}};
    while (words.size() > 2) {
        const auto option = options.find(words[0]);
        if (option == options.end()) return Error{std::string(usage), "", 0};
        *option->second = words[1];
        words.erase(words.begin(), words.begin() + 2);
    }
    if (words.size() != 2) return Error{std::string(usage), "", 0};
    if (command.kernel.empty()) return Error{"no kernel is given: say --kernel, or set LT_BUILD", "", 0};
    command.scenario = words[0];
    command.script = words[1];
    return command;
}

Result<Source> read_file(const std::string& name) {
    if (name == "-") return Source{"-", {std::istreambuf_iterator<char>(std::cin), {}}};
    std::ifstream file(name, std::ios::binary);
    if (!file) return system_error("cannot read " + name, errno);
    return Source{name, {std::istreambuf_iterator<char>(file), {}}};
}

// No value where the diagnostics say why.
std::optional<Plan> plan_of(const Command& command, Source& source, Kernel& kernel, Diags& diags) {
    CompileOptions options;
    options.given.kernel_release = kernel.release();
    options.resolve.keeps_records = true;  // scenarios have the records of events
    options.resolve.unsafe = true;         // nothing here can be harmed
    options.resolve.sampled = !command.sampled.empty();
    if (!command.process.empty()) {
        options.resolve.traced.by = TracedBy::process;
        options.resolve.traced.process = std::stoi(command.process);
    }
    if (!command.keys.empty()) options.resolve.max_keys = static_cast<uint32_t>(std::stoul(command.keys));
    std::vector<std::string> ways;
    for (std::string_view name : split(command.ways, ',')) ways.emplace_back(name);
    if (!rule_out_ways(ways, !command.ways.empty(), options.resolve, diags)) return {};
    Compiled read{.program = read_program(source, options, diags)};
    read.program.settings.reports_on_host = !command.host.empty();
    Compiled compiled = compile(source, std::move(read), kernel, options, diags);
    return diags.has_errors() ? std::optional<Plan>() : std::move(compiled.plan);
}

Status simulate(const Command& command, const Plan& plan, Kernel& kernel, const std::vector<Step>& scenario) {
    auto object = Object::read(plan.object);
    if (!object) return object.error();
    auto machine = Machine::create(*std::move(object), cpus_of(scenario));
    if (!machine) return machine.error();
    const auto sink = file_sink(STDOUT_FILENO);
    const auto printer =
        command.format == "json"
            ? json_printer(*sink)
            : text_printer(*sink, {.plain = plan.conventions.plain_integers, .newlines = plan.keeps_newlines});
    Simulation simulation(plan, kernel, *printer, *std::move(machine));
    auto ran = simulation.run(scenario);
    printer->flush();
    for (const Loss& loss : simulation.losses()) {
        const auto fact = loss_fact(plan, loss, {.stats = true});
        fmt::print(stderr, "lt: {}\n", fact->text);
        printer->lost(*fact);
    }
    for (uint32_t i = 0; !command.stats.empty() && i < plan.spans.size(); i++) {
        const auto account = simulation.account(i);
        if (!account) return account.error();
        const AccountFact fact = account_fact(plan, i, *account, simulation.losses());
        fmt::print(stderr, "lt: span {}\n", account_text(fact));
        printer->account(fact);
    }
    return ran;
}

Status run(const std::vector<std::string>& words) {
    const auto command = read_command(words);
    if (!command) return command.error();
    const auto scenario_text = read_file(command->scenario);
    if (!scenario_text) return scenario_text.error();
    const auto scenario = read_scenario(scenario_text->text);
    if (!scenario) return scenario.error_in(command->scenario);
    auto source = read_file(command->script);
    if (!source) return source.error();
    const auto kernel = open_kernel({command->kernel});
    if (!kernel) return kernel.error();
    Diags diags;
    const auto plan = plan_of(*command, *source, **kernel, diags);
    for (const Diag& diag : diags.all()) fmt::print(stderr, "{}", draw(*source, diag, false));
    if (!plan) return Error{"the script does not compile", "", 0};
    auto ran = simulate(*command, *plan, **kernel, *scenario);
    return ran ? ran : ran.error_in(command->scenario);
}

}  // namespace
}  // namespace lt::machine

int main(int argc, char** argv) {
    const auto done = lt::machine::run({argv + 1, argv + argc});
    if (!done) fmt::print(stderr, "lt-machine: {}\n", done.error().what);
    return done ? 0 : 1;
}
