#include "driver/cli/notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

}  // namespace lt
