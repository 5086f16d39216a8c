// Detached mounts (fsopen, fsconfig, fsmount) exist since Linux 5.2. They are called by number, because the C library
// has had wrappers for only a few years.
#include "runtime/os/mounts.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <span>

#include "base/text.h"

namespace lt {

Result<Folder> mount_privately(const char* type);

namespace {

Result<std::string> read_mounts(int fd) {
    constexpr size_t most_files = 4096, step = 1 << 16;  // memory that is not used has its cost
    // but what is not touched has none: the kernel's symbols, some 6 MB, are not copied to more room again and again
    constexpr size_t long_text = 1 << 20, room = 1 << 24;
    std::string text;
    for (size_t used = 0;;) {
        if (used > long_text) text.reserve(room);
        text.resize(used < most_files ? 2 * most_files : used + step);
        const ssize_t n = ::read(fd, text.data() + used, text.size() - used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return system_error("read", errno);
        used += static_cast<size_t>(n);
        if (n > 0) continue;
        text.resize(used);
        return text;
    }
}

Result<std::string> read_at(int folder, const std::string& name) {
    const Descriptor fd(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return system_error("open", errno);
    return read_mounts(fd.get());
}

struct MountPoint {
    const char* path;
    long magic;
};

constexpr MountPoint tracefs_points[] = {
    {"/sys/kernel/tracing", TRACEFS_MAGIC},
    {"/sys/kernel/debug/tracing", TRACEFS_MAGIC},
};
constexpr MountPoint debugfs_points[] = {{"/sys/kernel/debug", DEBUGFS_MAGIC}};

// Both folders of /sys exist without a mount, too, but are empty.
bool is_mounted(const MountPoint& point) {
    struct statfs about{};
    return ::statfs(point.path, &about) == 0 && about.f_type == point.magic;
}

Result<Folder> open_mounted(std::span<const MountPoint> points, const char* type) {
    std::optional<Error> refused;
    for (const MountPoint& point : points) {
        if (!is_mounted(point)) continue;
        Result<Folder> folder = Folder::open(point.path);
        if (folder) return folder;
        if (!refused) refused = folder.error();
    }
    Result<Folder> own = mount_privately(type);
    if (own) return own;
    Error error = refused ? *refused : own.error();
    error.hint = refused
                     ? "run lt as root, or add the capability CAP_DAC_READ_SEARCH"
                     : fmt::format("run lt as root, or mount it: `mount -t {} {} {}`", type, type, points.front().path);
    return error;
}

}  // namespace

Descriptor mount_nowhere(const char* type) {
    const Descriptor context(static_cast<int>(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)));
    if (!context || ::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0)
        return Descriptor();
    return Descriptor(static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0)));
}

Result<Folder> mount_privately(const char* type) {
    Descriptor mount = mount_nowhere(type);
    if (!mount) return system_error(std::string("mount ") + type + " for this process", errno);
    return Folder(std::move(mount));
}

Result<Folder> open_tracefs() { return open_mounted(tracefs_points, "tracefs"); }
Result<Folder> open_debugfs() { return open_mounted(debugfs_points, "debugfs"); }

Result<Folder> Folder::open(const std::string& path) {
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return system_error(path, errno);
    return Folder(std::move(fd));
}

Result<std::string> Folder::read(const std::string& name) const {
    Result<std::string> text = read_at(fd_.get(), name);
    if (!text) return text.error_in(name);
    return text;
}

std::vector<std::string> Folder::list(const std::string& name) const {
    const int fd = ::openat(fd_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return {};
    struct Close {
        void operator()(DIR* d) const { ::closedir(d); }
    };
    const std::unique_ptr<DIR, Close> folder(::fdopendir(fd));
    if (!folder) {
        ::close(fd);
        return {};
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(folder.get())) {
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    std::ranges::sort(names);
    return names;
}

bool Folder::has(const std::string& name) const { return ::faccessat(fd_.get(), name.c_str(), F_OK, AT_EACCESS) == 0; }

Result<std::string> read_text(const std::string& path) {
    Result<std::string> text = read_at(AT_FDCWD, path);
    if (!text) return text.error_in(path);
    return text;
}

std::string cgroup_mount() {
    const Result<std::string> mounts = read_text("/proc/self/mounts");
    for (std::string_view line : split(mounts ? std::string_view(*mounts) : std::string_view(), '\n')) {
        const auto words = split(line, ' ');
        if (words.size() > 2 && words[2] == "cgroup2") return std::string(words[1]);
    }
    return {};
}

void walk_folders(const std::string& top, const std::function<Visit(const std::filesystem::path&)>& visit) {
    namespace fs = std::filesystem;
    std::vector<fs::path> waiting{top};
    while (!waiting.empty()) {
        const fs::path folder = std::move(waiting.back());
        waiting.pop_back();
        std::error_code failed, gone;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
            if (at->is_symlink(gone) || !at->is_directory(gone)) continue;  // by the type that the folder has
            const Visit next = visit(at->path());
            if (next == Visit::end) return;
            if (next == Visit::below) waiting.push_back(at->path());
        }
    }
}

}  // namespace lt
