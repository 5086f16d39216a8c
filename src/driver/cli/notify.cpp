#include "driver/cli/notify.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace lt {
namespace {

// False, with errno, on failure.
bool send_to(std::string_view name, std::string_view lines) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    errno = EINVAL;
    if ((name.front() != '/' && name.front() != '@') || name.size() >= sizeof address.sun_path) return false;
    name.copy(address.sun_path, name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    const ssize_t sent =
        ::sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
    const int code = errno;
    ::close(fd);
    errno = code;
    return sent >= 0;
}

}  // namespace

void notify_service(std::string_view lines, bool silent) {
    const char* const name = std::getenv("NOTIFY_SOCKET");
    if (name == nullptr || *name == '\0' || send_to(name, lines) || silent) return;
    fmt::print(stderr, "lt: cannot notify the service manager: {}\n", std::strerror(errno));
}

Result<int> ready_descriptor(const std::string& text) {
    const int fd = parse_number<int>(text).value_or(-1);
    if (fd < 0)
        return Error{fmt::format("`{}` is not the number of a file descriptor", text),
                     "for example `lt --ready-fd 3 ... 3>ready`", 0};
    const bool is_open = fd > STDERR_FILENO ? ::fcntl(fd, F_SETFD, FD_CLOEXEC) >= 0 : ::fcntl(fd, F_GETFD) >= 0;
    if (is_open) return fd;
    return Error{fmt::format("file descriptor {} is not open", fd),
                 fmt::format("open it in the shell: `lt --ready-fd {0} ... {0}>ready`", fd), 0};
}

void tell_ready(int descriptor) {
    constexpr std::string_view line = "ready\n";
    pollfd wanted{descriptor, POLLOUT, 0};
    errno = EAGAIN;
    const bool takes = ::poll(&wanted, 1, 0) == 1 && ::write(descriptor, line.data(), line.size()) >= 0;
    if (!takes && errno == EAGAIN)
        fmt::print(stderr, "lt: file descriptor {} is full, so `ready` was not written to it\n", descriptor);
    if (descriptor > STDERR_FILENO) ::close(descriptor);
}

}  // namespace lt
