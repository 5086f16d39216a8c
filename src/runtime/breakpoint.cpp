// perf_event_open for execution breakpoints, with a sentence for each reason the kernel has to refuse one,
// and the list of CPUs on which they have to be opened.
#include "breakpoint.h"

#include <fmt/format.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

#include "base/text.h"
#include "causes.h"

namespace lt {

namespace {

constexpr std::array refusals{
    Cause{EINVAL,
          "the kernel does not allow a breakpoint at this address: the code is on its kprobe blacklist, or the "
          "hypervisor offers no breakpoints on kernel code",
          "see kprobes/blacklist in debugfs"},
    Cause{ENOSPC, "all four debug registers of the CPU are in use",
          "stop the debugger, perf or other tracer that has set breakpoints or watchpoints"},
    Cause{EPERM, "breakpoints on kernel code need CAP_SYS_ADMIN", needs_root},
    Cause{EACCES, "breakpoints on kernel code need CAP_SYS_ADMIN", needs_root},
    Cause{ENOENT, "this kernel has no hardware breakpoints"},
    Cause{EOPNOTSUPP, "this kernel has no hardware breakpoints"},
    Cause{ENODEV, "the CPU is offline"},
};

std::string breakpoint_at(uint64_t address, int cpu) {
    return fmt::format("breakpoint at {:#x} on CPU {}", address, cpu);
}

// Far above any kernel's NR_CPUS: a malformed range must not fill the memory.
constexpr int most_cpus = 1 << 16;

std::optional<int> parse_cpu(std::string_view text) {
    int value = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool whole = failure == std::errc() && end == text.data() + text.size();
    if (!whole || value < 0 || value >= most_cpus) return std::nullopt;
    return value;
}

struct CpuRange {
    int first, last;
};

std::optional<CpuRange> parse_range(std::string_view text) {
    size_t dash = text.find('-');
    auto first = parse_cpu(text.substr(0, dash));
    auto last = dash == std::string_view::npos ? first : parse_cpu(text.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    return CpuRange{*first, *last};
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
    if (fd < 0) return refusal(breakpoint_at(address, cpu), refusals, errno);
    return static_cast<int>(fd);
}

Result<std::vector<int>> parse_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    for (std::string_view part : split(trim(text), ',')) {
        auto range = parse_range(part);
        if (!range || (!cpus.empty() && range->first <= cpus.back()))
            return Error{fmt::format("not a list of CPUs: {}", quoted(text)), ""};
        for (int cpu = range->first; cpu <= range->last; cpu++) cpus.push_back(cpu);
    }
    return cpus;
}

Result<std::vector<int>> online_cpus() {
    const std::string path = "/sys/devices/system/cpu/online";
    std::ifstream in(path);
    std::string text;
    if (!std::getline(in, text)) return Error{path + ": cannot be read", ""};
    auto cpus = parse_cpu_list(text);
    if (!cpus) return cpus.error_in(path);
    return cpus;
}

}  // namespace lt
