#include "base/file_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

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

namespace {

// In its place. A new file of which only a part could be written is removed.
Status write_in_place(const std::string& path, std::string_view bytes) {
    std::FILE* const file = std::fopen(path.c_str(), "wbe");
    if (!file) return system_error("cannot write " + path, errno);
    struct stat found{};
    const bool is_removed =
        ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);  // not a link, as /dev/stdout is
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    if (std::fclose(file) == 0 && written) return Done{};
    const int code = errno;
    if (is_removed) ::unlink(path.c_str());
    return system_error("cannot write " + path, code);
}

// Does the path name a file with contents that can be lost? Those below /dev and /proc are open elsewhere, too.
bool has_contents(const std::string& path, struct stat& found) {
    if (path.starts_with("/dev/") || path.starts_with("/proc/")) return false;
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
}

// The new contents are in a file beside it until they are whole. Returns 0, or the error (errno) with which nothing has
// changed.
int write_beside(const std::string& path, const struct stat& old, std::string_view bytes) {
    std::string beside = path + ".XXXXXX";
    const int file = ::mkostemp(beside.data(), O_CLOEXEC);
    if (file < 0) return errno;
    int code = write_all(file, bytes);
    if (code == 0 && ::fchown(file, old.st_uid, old.st_gid) != 0 && errno != EPERM) code = errno;
    if (code == 0 && ::fchmod(file, old.st_mode & 0777) != 0) code = errno;
    if (::close(file) != 0 && code == 0) code = errno;
    if (code == 0 && ::rename(beside.c_str(), path.c_str()) != 0) code = errno;
    if (code != 0) ::unlink(beside.c_str());
    return code;
}

}  // namespace

Status write_file(const std::string& path, std::string_view bytes) {
    struct stat old{};
    if (!has_contents(path, old)) return write_in_place(path, bytes);
    char* const real = ::realpath(path.c_str(), nullptr);
    if (!real || ::faccessat(AT_FDCWD, real, W_OK, AT_EACCESS) != 0) {
        const int code = errno;
        std::free(real);
        return system_error("cannot write " + path, code);
    }
    const int code = write_beside(real, old, bytes);
    std::free(real);
    if (code == 0) return Done{};
    // its folder may not be written, or the file is a mount
    if (code == EACCES || code == EPERM || code == EROFS || code == EBUSY) return write_in_place(path, bytes);
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
