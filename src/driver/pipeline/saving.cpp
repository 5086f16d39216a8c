#include "driver/pipeline/saving.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/file_text.h"
#include "driver/run/saved.h"
#include "stdlib/options.h"

namespace lt {
namespace {

std::string plan_path(const Command& command, const Source& source) {
    const std::filesystem::path path = command.text(Option::save);
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) return path.string();
    const std::string stem = std::filesystem::path(source.name).stem().string();
    return (path / (stem + ".plan")).string();
}

// lt-run lies beside lt, wherever both are installed.
Result<std::string> runner() {
    std::error_code failed;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", failed);
    const std::string path = own.parent_path() / "lt-run";
    std::ifstream file(path, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (file && !bytes.empty()) return bytes;
    return Error{fmt::format("--aot copies lt-run, and cannot read {}", path), "install lt-run beside lt", errno};
}

Status write_program(const std::string& path, std::string_view plan) {
    Result<std::string> program = runner();
    if (!program) return program.error();
    if (Status written = write_file(path, with_plan_at_end(*std::move(program), plan)); !written) return written;
    return ::chmod(path.c_str(), 0755) == 0 ? Status(Done{}) : system_error("cannot make executable " + path, errno);
}

}  // namespace

Status suits_saving(const Command& command) {
    if (!is_saving(command)) return Done{};
    const std::string_view by = command.has(Option::aot) ? "--aot" : "--save";
    for (const auto& [option, text] : command.options) {
        const Phase phase = option_row(option).phase;
        if (phase == Phase::both || phase == Phase::compile || phase == Phase::compiled_in) continue;
        if (phase == Phase::bound)
            return Error{fmt::format("{} is for a run on this machine and cannot be saved", option_name(option)),
                         "leave it out, or run the script with it", 0};
        return Error{fmt::format("{} is for a run, and {} only compiles", option_name(option), by),
                     "give it when the plan is run", 0};
    }
    return Done{};
}

Status write_plan(const Command& command, const SavedPlan& saved) {
    const std::string bytes = to_bytes(saved);
    if (command.has(Option::save))
        if (Status written = write_file(plan_path(command, saved.source), bytes); !written) return written;
    return command.has(Option::aot) ? write_program(command.text(Option::aot), bytes) : Status(Done{});
}

}  // namespace lt
