#include "script.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "systemtap.h"

namespace lt {
namespace {

Result<Source> read_all(FILE* file, const std::string& name) {
    Source source{name, {}};
    char part[65536];
    for (size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;) source.text.append(part, n);
    if (std::ferror(file) != 0) return system_error("cannot read " + name, errno);
    return source;
}

Result<Source> read_text(const Command& command) {
    if (command.has(Option::program)) return Source{"-e", command.text(Option::program)};
    if (command.file.empty())
        return Error{"no program given",
                     "lt -e 'k:vfs_read < @ns = hist(...) >', or lt FILE, or lt on a terminal; lt --help for more", 0};
    if (command.file == "-") return read_all(stdin, "-");
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(command.file.c_str(), "rb"), &std::fclose);
    if (!file) return system_error("cannot read " + command.file, errno);
    return read_all(file.get(), command.file);
}

}  // namespace

Result<Source> read_source(const Command& command) {
    Result<Source> source = read_text(command);
    if (source) source->dialect = dialect_of(command);
    return source;
}

}  // namespace lt
