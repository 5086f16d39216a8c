#include "driver/control/control_address.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/text.h"

namespace lt {
namespace {

constexpr const char* roots_folder = "/run/lt";

// A user without a login session, such as a service's, has no such folder; it gets one in /tmp, as with tmux.
std::string folder_of_user() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    if (geteuid() == 0) return roots_folder;
    if (runtime && *runtime == '/') return fmt::format("{}/lt", runtime);
    const std::string logged_in = fmt::format("/run/user/{}", geteuid());
    return ::access(logged_in.c_str(), W_OK) == 0 ? logged_in + "/lt" : fmt::format("/tmp/lt-{}", geteuid());
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
std::vector<Folder> folders() {
    std::vector<Folder> all{{roots_folder, 0}};
    if (geteuid() != 0) all.push_back({folder_of_user(), geteuid()});
    std::erase_if(all, [](const Folder& folder) { return !belongs_to(folder.path, folder.user); });
    return all;
}

bool somebody_listens(const std::string& path) {
    const Result<ControlAddress> address = control_address(path);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused = address && socket >= 0 && ::connect(socket, address->get(), address->size) != 0 &&
                         (errno == ECONNREFUSED || errno == ENOENT);
    if (socket >= 0) ::close(socket);
    return !refused;
}

// "4711", or "4711.new" while it gets its name.
std::optional<pid_t> number_in(std::string_view name) {
    if (name.ends_with(new_name)) name.remove_suffix(new_name.size());
    const auto pid = parse_number<pid_t>(name);
    return pid && *pid > 0 ? pid : std::nullopt;
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

std::string control_socket(pid_t pid) {
    for (const Folder& folder : folders())
        if (std::string path = fmt::format("{}/{}", folder.path, pid); ::access(path.c_str(), F_OK) == 0) return path;
    return "";
}

std::vector<pid_t> control_processes() {
    std::vector<pid_t> pids;
    for (const Folder& folder : folders()) {
        std::error_code failed;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path, failed)) {
            const std::string path = entry.path().string();
            const auto pid = number_in(entry.path().filename().string());
            const bool is_new = path.ends_with(new_name);
            if (!pid || (is_new && (::kill(*pid, 0) == 0 || errno != ESRCH))) continue;
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

std::optional<pid_t> trusted_peer(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
    return peer.uid == 0 || peer.uid == geteuid() ? std::optional(peer.pid) : std::nullopt;
}

}  // namespace lt
