#include "driver/control/control_address.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/text.h"

namespace lt {
namespace {

constexpr const char* roots_folder = "/run/lt";

std::string session_folder(uid_t user) { return fmt::format("/run/user/{}", user); }
std::string folder_in_tmp(uid_t user) { return fmt::format("/tmp/lt-{}", user); }

// A user without a login session, such as a service's, has no such folder; it gets one in /tmp, as with tmux.
std::string folder_of_user() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (geteuid() == 0) return roots_folder;
    if (runtime && *runtime == '/') return fmt::format("{}/lt", runtime);
    const std::string logged_in = session_folder(geteuid());
    return ::access(logged_in.c_str(), W_OK) == 0 ? logged_in + "/lt" : folder_in_tmp(geteuid());
}

// Can only that user create files in the folder?
bool belongs_to(const std::string& folder, uid_t user) {
    struct stat about{};
    if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) return false;
    return about.st_uid == user && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

struct Folder {
    std::string path;
    uid_t user;
};
std::vector<Folder> folders(uid_t user) {
    std::vector<Folder> all;
    if (user != geteuid()) {
        all.push_back({session_folder(user) + "/lt", user});
        all.push_back({folder_in_tmp(user), user});
    }
    all.push_back({roots_folder, 0});
    if (geteuid() != 0) all.push_back({folder_of_user(), geteuid()});
    std::erase_if(all, [](const Folder& folder) { return !belongs_to(folder.path, folder.user); });
    return all;
}

// "4711", or "4711.1f3a.new" while it gets its name.
std::optional<pid_t> number_in(std::string_view name) {
    if (name.ends_with(new_name)) name = name.substr(0, name.find('.'));
    const auto pid = parse_number<pid_t>(name);
    return pid && *pid > 0 ? pid : std::nullopt;
}

// Its process, which may be of another PID namespace, would have given it its name long ago.
bool is_left_behind(const std::string& new_socket) {
    constexpr time_t longest = 10;
    struct stat about{};
    return ::lstat(new_socket.c_str(), &about) == 0 && std::time(nullptr) - about.st_mtime > longest;
}

}  // namespace

Result<ControlAddress> control_address(const std::string& path) {
    ControlAddress a;
    a.address.sun_family = AF_UNIX;
    if (path.size() >= sizeof a.address.sun_path) return Error{fmt::format("{} is too long for a socket", path), "", 0};
    path.copy(a.address.sun_path, path.size());
    a.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
    return a;
}

Result<std::string> own_control_folder() {
    std::string folder = folder_of_user();
    const mode_t mode = geteuid() == 0 ? 0755 : 0700;
    if (::mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) return system_error("cannot make " + folder, errno);
    if (!belongs_to(folder, geteuid()))
        return Error{fmt::format("{} belongs to another user, or others can write to it", folder), "", 0};
    return folder;
}

bool somebody_listens(const std::string& path) {
    const Result<ControlAddress> address = control_address(path);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused = address && socket >= 0 && ::connect(socket, address->get(), address->size) != 0 &&
                         (errno == ECONNREFUSED || errno == ENOENT);
    if (socket >= 0) ::close(socket);
    return !refused;
}

// "NSpid:\t8230\t12": its number here, and in each namespace below, the innermost last.
std::optional<pid_t> pid_in_own_namespace(pid_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("NSpid:")) return parse_number<pid_t>(line.substr(line.find_last_of(" \t") + 1));
    return {};
}

// Not the owner of its files in /proc: if its program has capabilities, that is root.
uid_t user_to_trust(pid_t pid) {
    if (geteuid() != 0) return geteuid();
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string line; std::getline(status, line);) {
        uid_t real = 0, effective = 0;
        if (std::sscanf(line.c_str(), "Uid: %u %u", &real, &effective) == 2) return effective;
    }
    return 0;
}

std::string control_socket(pid_t pid, uid_t user) {
    for (const Folder& folder : folders(user))
        if (std::string path = fmt::format("{}/{}", folder.path, pid); ::access(path.c_str(), F_OK) == 0) return path;
    return "";
}

std::vector<pid_t> control_processes() {
    std::vector<pid_t> pids;
    for (const Folder& folder : folders(geteuid())) {
        std::error_code failed;
        for (std::filesystem::directory_iterator at(folder.path, failed), end; !failed && at != end;
             at.increment(failed)) {
            const std::string path = at->path().string();
            const auto pid = number_in(at->path().filename().string());
            const bool is_new = path.ends_with(new_name);
            if (!pid || (is_new && !is_left_behind(path))) continue;
            if (!is_new && somebody_listens(path))
                pids.push_back(*pid);
            else
                ::unlink(path.c_str());  // left behind; only root can remove root's
        }
    }
    std::ranges::sort(pids);
    pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
    return pids;
}

std::optional<pid_t> trusted_peer(int socket, uid_t user) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
    return peer.uid == 0 || peer.uid == user ? std::optional(peer.pid) : std::nullopt;
}

}  // namespace lt
