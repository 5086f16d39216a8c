#include "driver/target/traced.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/text.h"
#include "runtime/system/containers.h"

namespace lt {
namespace {

namespace fs = std::filesystem;

Result<int> process_of(const std::string& text) {
    const auto process = parse_number<int>(text);
    if (process && *process > 0) return *process;
    return Error{fmt::format("there is no process {}", lt::quoted(text)), "give a pid: `-p 1234`", 0};
}

Result<std::string> cgroup_root() {
    const std::unique_ptr<FILE, int (*)(FILE*)> mounts(setmntent("/proc/self/mounts", "r"), endmntent);
    while (const mntent* mount = mounts ? getmntent(mounts.get()) : nullptr)
        if (std::string_view(mount->mnt_type) == "cgroup2") return std::string(mount->mnt_dir);
    return Error{"no cgroup file system (version 2) is mounted", "`mount -t cgroup2 none /sys/fs/cgroup`", 0};
}

// In a namespace, a cgroup's levels in the kernel's hierarchy are unknown.
bool in_first_namespace() {
    constexpr std::string_view first = "cgroup:[4026531835]";  // include/uapi/linux/nsfs.h: CGROUP_NS_INIT_INO
    std::error_code error;
    return fs::read_symlink("/proc/self/ns/cgroup", error).string() == first;
}

// The inode of a cgroup's folder is the kernel's cgroup id.
Result<Traced> of_folder(const std::string& root, const std::string& folder) {
    struct stat file{};
    struct statfs system{};
    if (stat(folder.c_str(), &file) != 0 || statfs(folder.c_str(), &system) != 0)
        return Error{fmt::format("there is no cgroup {}", folder),
                     fmt::format("give its folder, as a path or relative to {}", root), 0};
    if (system.f_type != CGROUP2_SUPER_MAGIC)
        return Error{fmt::format("{} is not a cgroup (version 2)", folder), fmt::format("they are below {}", root), 0};
    if (!in_first_namespace())
        return Error{"lt runs in a cgroup namespace, in which it cannot distinguish cgroups",
                     "run it outside of the container", 0};
    std::error_code failed;
    const fs::path whole = fs::canonical(folder, failed), top = failed ? fs::path() : fs::canonical(root, failed);
    if (failed) return system_error("cgroup " + folder, failed.value());
    const fs::path below = whole.lexically_relative(top);
    Traced traced;
    traced.by = TracedBy::cgroup;
    traced.cgroup = file.st_ino;
    traced.level = below == "." ? 0 : static_cast<uint32_t>(std::distance(below.begin(), below.end()));
    return traced;
}

Result<Traced> of_cgroup(const std::string& text) {
    const Result<std::string> root = cgroup_root();
    if (!root) return root.error();
    std::error_code error;
    const fs::path below = *root + (text.starts_with("/") ? "" : "/") + text;  // as in /proc/PID/cgroup
    return of_folder(*root, fs::is_directory(below, error) || !text.starts_with("/") ? below.string() : text);
}

Result<Traced> of_container(const std::string& name) {
    const Result<std::string> root = cgroup_root();
    if (!root) return root.error();
    const Result<std::string> folder = container_folder(name, {*root});
    return folder ? of_folder(*root, *folder) : folder.error();
}

}  // namespace

Result<Traced> traced_of(const Command& command) {
    const bool has_process = command.has(Option::process), follows = command.has(Option::follow);
    const bool in_cgroup = command.has(Option::cgroup), in_container = command.has(Option::container);
    if (has_process && command.has(Option::command))
        return Error{"-p traces a running process, -c one that lt starts", "leave out one of the two", 0};
    if (has_process + in_cgroup + in_container > 1)
        return Error{"-p, --cgroup and --container exclude each other", "leave out all but one", 0};
    if (follows && !has_process && !command.has(Option::command))
        return Error{"--follow needs a process to follow", "give -p PID or -c COMMAND", 0};
    if (follows && (in_cgroup || in_container))
        return Error{"--follow follows a process; --cgroup and --container trace all of their processes",
                     "leave out one", 0};
    if (in_cgroup) return of_cgroup(command.text(Option::cgroup));
    if (in_container) return of_container(command.text(Option::container));
    Traced traced;
    if (has_process) {
        const Result<int> process = process_of(command.text(Option::process));
        if (!process) return process.error();
        traced.process = *process;
        traced.by = TracedBy::process;
    }
    if (follows) traced.by = TracedBy::family;
    return traced;
}

}  // namespace lt
