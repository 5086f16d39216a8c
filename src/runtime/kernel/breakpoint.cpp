// perf_event_open for execution breakpoints. Explains each reason for which the kernel refuses one.
#include "runtime/kernel/breakpoint.h"

#include <fmt/format.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/text.h"
#include "runtime/kernel/causes.h"

namespace lt {

namespace {

constexpr std::array breakpoint_refusals{
    ErrnoCause{EINVAL,
               "the kernel does not allow a breakpoint at this address: the code is on its kprobe blacklist, or the "
               "hypervisor offers no breakpoints on kernel code",
               "see kprobes/blacklist in debugfs"},
    ErrnoCause{ENOSPC, "all debug registers of the CPU are in use",
               "stop the debugger, perf or another tracer that has set breakpoints or watchpoints"},
    ErrnoCause{EPERM, "breakpoints on kernel code need CAP_SYS_ADMIN", needs_root},
    ErrnoCause{EACCES, "breakpoints on kernel code need CAP_SYS_ADMIN", needs_root},
    ErrnoCause{ENOENT, "this kernel has no hardware breakpoints"},
    ErrnoCause{EOPNOTSUPP, "this kernel has no hardware breakpoints"},
    ErrnoCause{ENODEV, "the CPU is offline"},
};

std::string breakpoint_at(uint64_t address, int cpu) {
    return fmt::format("breakpoint at {:#x} on CPU {}", address, cpu);
}

}  // namespace

Result<int> open_kernel_breakpoint(uint64_t address, int cpu) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_BREAKPOINT;
    attr.bp_type = HW_BREAKPOINT_X;
    attr.bp_addr = address;
    attr.bp_len = sizeof(long);
    attr.sample_period = 1;
    attr.disabled = 1;
    constexpr int every_process = -1, no_group = -1;
    long fd = ::syscall(SYS_perf_event_open, &attr, every_process, cpu, no_group, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return refusal(breakpoint_at(address, cpu), breakpoint_refusals, errno);
    return static_cast<int>(fd);
}

}  // namespace lt
