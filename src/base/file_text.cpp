#include "base/file_text.h"

#include <fmt/format.h>

#include <cerrno>

namespace lt {

Result<std::string> whole_text(std::FILE* file, const std::string& name, size_t most) {
    std::string text;
    char part[65536];
    for (size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;) {
        text.append(part, n);
        if (text.size() > most)
            return Error{fmt::format("{} has more than {} MiB", name, most >> 20), "is this the right file?", 0};
    }
    if (std::ferror(file) != 0) return system_error("cannot read " + name, errno);
    return text;
}

}  // namespace lt
