#include "driver/cli/privileges.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "base/text.h"

namespace lt {
namespace {

// Capability numbers (include/uapi/linux/capability.h).
constexpr uint64_t sys_admin = uint64_t{1} << 21;
constexpr uint64_t perfmon = uint64_t{1} << 38;
constexpr uint64_t bpf = uint64_t{1} << 39;

// Without these file systems lt sees nothing of the machine, and its answers would be wrong.
struct Needed {
    const char* file;
    const char* command;
};
constexpr std::array needed{Needed{"/proc/self", "`mount -t proc proc /proc`"},
                            Needed{"/sys/kernel", "`mount -t sysfs sysfs /sys`"}};

// In a /proc of another PID namespace this process has another number, or none, and the others are not those that lt
// would look for.
bool is_proc_of_others() {
    struct statfs system{};
    if (::statfs("/proc", &system) != 0 || system.f_type != PROC_SUPER_MAGIC) return false;
    std::array<char, 32> number{};
    const ssize_t length = ::readlink("/proc/self", number.data(), number.size());
    return length < 0 || parse_number<pid_t>({number.data(), static_cast<size_t>(length)}) != ::getpid();
}

}  // namespace

// From a system call and not from /proc, which may not be mounted.
uint64_t effective_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> parts{};
    if (::syscall(SYS_capget, &header, parts.data()) != 0) return 0;
    return parts[0].effective | uint64_t{parts[1].effective} << 32;
}

std::optional<Error> lacking_privilege() {
    const uint64_t have = effective_capabilities();
    if (is_proc_of_others())
        return Error{"/proc belongs to another PID namespace",
                     "`mount -t proc proc /proc`, or enter both namespaces: `nsenter -t PID -p -m lt ...`", 0};
    for (const auto& [file, command] : needed)
        if (::access(file, F_OK) != 0)
            return Error{fmt::format("{} is missing: its file system is not mounted", file), command, 0};
    if ((have & sys_admin) || (have & (bpf | perfmon)) == (bpf | perfmon)) return {};
    return Error{"tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON", "run it again with `sudo`", 0};
}

}  // namespace lt
