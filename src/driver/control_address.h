// Where a running lt listens: an abstract socket (unix(7)) named after its process, which vanishes with it.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <vector>

namespace lt {

struct ControlAddress {
    sockaddr_un address{};
    socklen_t size = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};
ControlAddress control_address(pid_t pid);

// The processes in whose names somebody listens.
std::vector<pid_t> control_processes();

// May the process at the other end be spoken to: is it root's or of our own user? It is named where it may.
std::optional<pid_t> trusted_peer(int socket);

// The limits of the protocol, see lt-ctl(1).
constexpr size_t longest_request = 4096;
constexpr size_t most_connections = 16;
constexpr int idle_seconds = 30;

}  // namespace lt
