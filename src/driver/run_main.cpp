// lt-run: runs saved plans. It has the options of a run and its output, and neither a parser nor a compiler.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>

#include "base/file_text.h"
#include "driver/cli/command.h"
#include "driver/cli/failure.h"
#include "driver/cli/standard_streams.h"
#include "driver/run/plan_fitter.h"
#include "driver/run/saved.h"
#include "driver/run/work.h"
#include "driver/target/chosen_kernel.h"
#include "driver/target/describe_kernel.h"

namespace lt {
namespace {

Result<Source> read_file(const std::string& name) {
    const bool is_input = name == "-";
    const std::unique_ptr<FILE, int (*)(FILE*)> file(is_input ? stdin : std::fopen(name.c_str(), "rb"), &std::fclose);
    if (!file) return system_error("cannot read " + name, errno);
    Result<std::string> bytes = whole_text(file.get(), name, longest_plan);
    if (!bytes) return bytes.error();
    const std::string_view plan = plan_within(*bytes);
    if (is_saved_plan(plan)) return Source{name, std::string(plan)};
    return Error{fmt::format("{} is not a plan, and lt-run has no compiler for scripts", name),
                 "`lt build SCRIPT -o FILE.plan` makes a plan, on a machine with lt", 0};
}

int show_features(const Command& command) {
    const Result<std::unique_ptr<Kernel>> kernel = open_kernel(kernel_places(command));
    if (!kernel) return failure(kernel.error());
    fmt::print("{}", features_text(**kernel));
    return 0;
}

int run_command_line(int argc, const char* const* argv) {
    Result<std::string> own = own_plan();
    if (!own) return failure(own.error());
    if (!own->empty()) return run_own_plan(argc, argv, *std::move(own), Program::lt_run, nullptr);
    Result<Command> command = read_command(argc, argv, {}, Program::lt_run);
    if (!command) return misuse(command.error());
    const bool asks_for_help = command->has(Option::help) || command->script_help;
    if (command->has(Option::help)) fmt::print("{}", command->help);
    if (command->has(Option::version)) fmt::print("lt-run " LT_VERSION "\n");
    if (command->has(Option::version) || (asks_for_help && command->file.empty())) return 0;
    if (command->has(Option::describe)) return describe_kernel(*command);
    if (command->has(Option::info)) return show_features(*command);
    const bool lists = command->has(Option::list);
    if (lists) command->file = command->text(Option::list);
    if (command->file.empty() || (lists && command->file == "*"))
        return misuse({"no plan given", "`lt-run FILE.plan`; `lt-run --help` for more", 0});
    const Result<Source> file = read_file(command->file);
    if (!file) return failure(file.error());
    return with_plan(*command, *file, {}, nullptr, asks_for_help ? help : lists ? list : run);
}

}  // namespace
}  // namespace lt

int main(int argc, char** argv) {
    lt::prepare_standard_streams();
    return lt::status_of_streams(lt::run_command_line(argc, argv));
}
