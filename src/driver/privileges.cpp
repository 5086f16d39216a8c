#include "privileges.h"

#include <cstdint>
#include <fstream>
#include <string>

namespace lt {
namespace {

// Numbers of capabilities (include/uapi/linux/capability.h).
constexpr uint64_t sys_admin = uint64_t{1} << 21;
constexpr uint64_t perfmon = uint64_t{1} << 38;
constexpr uint64_t bpf = uint64_t{1} << 39;

}  // namespace

uint64_t effective_capabilities() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("CapEff:")) return std::stoull(line.substr(7), nullptr, 16);
    }
    return 0;
}

std::optional<Error> lacking_privilege() {
    const uint64_t have = effective_capabilities();
    if ((have & sys_admin) || (have & (bpf | perfmon)) == (bpf | perfmon)) return {};
    return Error{"tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON", "run it again with sudo in front",
                 0};
}

}  // namespace lt
