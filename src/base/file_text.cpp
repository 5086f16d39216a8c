#include "base/file_text.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

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

Status write_file(const std::string& path, std::string_view bytes) {
    std::FILE* const file = std::fopen(path.c_str(), "wbe");
    if (!file) return system_error("cannot write " + path, errno);
    struct stat found{};
    const bool is_removed = ::fstat(fileno(file), &found) == 0 && S_ISREG(found.st_mode);
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    if (std::fclose(file) == 0 && written) return Done{};
    const int code = errno;
    if (is_removed) ::unlink(path.c_str());
    return system_error("cannot write " + path, code);
}

int write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n >= 0) {
            bytes.remove_prefix(static_cast<size_t>(n));
        } else if (errno == EAGAIN) {
            pollfd wanted{descriptor, POLLOUT, 0};
            ::poll(&wanted, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace lt
