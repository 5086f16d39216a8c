// The socket of a running lt: named after its process, in a folder that belongs to its user, so that no other user can
// take the name. lt removes it at the end; if lt was killed, the next one that looks there removes it.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

struct ControlAddress {
    sockaddr_un address{};
    socklen_t size = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

constexpr std::string_view new_name = ".new";  // the suffix of a socket on which no process listens yet

// An error if the path is too long for a socket.
Result<ControlAddress> control_address(const std::string& path);

// The folder for this user's sockets: /run/lt for root, below XDG_RUNTIME_DIR, /run/user/UID or /tmp for others.
// Creates it if needed; an error if that fails, or if others can write to it.
Result<std::string> own_control_folder();

// Who may answer as this process, besides root: its own user if root asks, otherwise only our own user.
uid_t user_to_trust(pid_t pid);

// The socket of a process; empty if there is none. Looks for that user's, if it is another one, then for root's, then
// for our own user's. Each is in a folder where no third user can have put it.
std::string control_socket(pid_t pid, uid_t user);

// False if the socket is left behind or does not exist.
bool somebody_listens(const std::string& path);

// The number that a process has in its own PID namespace; none if there is no such process.
std::optional<pid_t> pid_in_own_namespace(pid_t pid);

// The processes with a socket of root's or our own user's.
std::vector<pid_t> control_processes();

// The process at the other end, if it is root's or that user's: it may send commands, or answer them.
std::optional<pid_t> trusted_peer(int socket, uid_t user);

// The limits of the protocol, see lt-ctl(1).
constexpr size_t longest_request = 4096;
constexpr size_t most_connections = 16;
constexpr int idle_seconds = 30;

}  // namespace lt
