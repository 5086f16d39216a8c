#include "driver/cli/privileges.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

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
    for (const auto& [file, command] : needed)
        if (::access(file, F_OK) != 0)
            return Error{fmt::format("{} is missing: its file system is not mounted", file), command, 0};
    if ((have & sys_admin) || (have & (bpf | perfmon)) == (bpf | perfmon)) return {};
    return Error{"tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON", "run it again with `sudo`", 0};
}

}  // namespace lt
