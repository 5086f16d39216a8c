#include "driver/pipeline/script.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "base/file_text.h"
#include "driver/doctor/systemtap.h"
#include "driver/run/saved.h"
#include "driver/tools/tools.h"
#include "runtime/plan/saved_plan.h"

namespace lt {
namespace {

Result<Source> read_all(FILE* file, const std::string& name) {
    struct stat about{};
    const bool is_file = ::fstat(::fileno(file), &about) == 0 && S_ISREG(about.st_mode);
    Result<std::string> text = whole_text(file, name, is_file ? longest_plan : longest_program);
    if (!text) return text.error();
    if (text->size() > longest_program && !is_saved_plan(plan_within(*text)))
        return Error{fmt::format("{} has more than {} MiB", name, longest_program >> 20), "is this the right file?", 0};
    return Source{name, *std::move(text)};
}

Result<Source> read_text(const Command& command) {
    if (command.has(Option::program)) return Source{"-e", command.text(Option::program)};
    if (command.file.empty())
        return Error{"no script given",
                     "`lt -e 'k:vfs_read < @ns = hist(...) >'`, `lt FILE`, or `lt` on a terminal; `lt --help` for more",
                     0};
    if (command.file == "-") return read_all(stdin, "-");
    const std::string path = script_path(command.file);
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) return system_error("cannot read " + path, errno);
    return read_all(file.get(), path);
}

}  // namespace

Result<Source> read_source(const Command& command) {
    Result<Source> source = read_text(command);
    if (source) source->dialect = dialect_of(command);
    return source;
}

}  // namespace lt
