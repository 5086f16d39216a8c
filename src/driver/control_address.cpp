#include "control_address.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace lt {
namespace {

constexpr std::string_view prefix = "lt/control/";

}  // namespace

ControlAddress control_address(pid_t pid) {
    ControlAddress a;
    a.address.sun_family = AF_UNIX;
    const std::string name = fmt::format("{}{}", prefix, pid);
    name.copy(a.address.sun_path + 1, sizeof a.address.sun_path - 2);
    a.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return a;
}

// A connection has the name of the socket that took it, so a name can be there several times.
std::vector<pid_t> control_processes() {
    std::vector<pid_t> pids;
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);) {
        const size_t at = line.find(fmt::format("@{}", prefix));
        if (at != line.npos) pids.push_back(static_cast<pid_t>(std::atol(line.c_str() + at + 1 + prefix.size())));
    }
    std::sort(pids.begin(), pids.end());
    pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
    return pids;
}

std::optional<pid_t> trusted_peer(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
    return peer.uid == 0 || peer.uid == geteuid() ? std::optional(peer.pid) : std::nullopt;
}

}  // namespace lt
