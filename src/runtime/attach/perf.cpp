// perf_event_open for tracepoints, kprobes, uprobes and counters. Explains each reason for which the kernel refuses
// one.
#include "runtime/attach/perf.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "runtime/bpf/program.h"
#include "runtime/kernel/causes.h"
#include "runtime/os/cpus.h"

namespace lt {

namespace {

constexpr std::array tracepoint_causes{
    ErrnoCause{EACCES, "the kernel does not permit it", needs_root},
    ErrnoCause{EPERM, "the kernel does not permit it", needs_root},
    ErrnoCause{ENOENT, "the tracepoint no longer exists"},
    ErrnoCause{EINVAL, "the tracepoint no longer exists"},
};

constexpr std::array kprobe_causes{
    ErrnoCause{EACCES, "the kernel does not permit it", needs_root},
    ErrnoCause{EPERM, "the kernel does not permit it", needs_root},
    ErrnoCause{ENOENT, "the kernel has no function of this name, or all calls of it are inlined"},
    ErrnoCause{EINVAL, "the function is compiled without ftrace (notrace) or on the kprobe blacklist"},
    ErrnoCause{EADDRNOTAVAIL, "the kernel has several functions of this name"},
    ErrnoCause{EILSEQ, "the address is not the start of an instruction"},
    ErrnoCause{EOPNOTSUPP, "the kernel cannot place a kprobe there"},
    ErrnoCause{kernel_not_supported, "the kernel cannot place a kprobe there"},
};

constexpr std::array uprobe_causes{
    ErrnoCause{EACCES, "the kernel does not permit it", needs_root},
    ErrnoCause{EPERM, "the kernel does not permit it", needs_root},
    ErrnoCause{ENOENT, "the file does not exist"},
    ErrnoCause{EINVAL, "it is not an address in the code of a regular file"},
    ErrnoCause{EIO, "the file's file system does not allow uprobes"},
    ErrnoCause{EOPNOTSUPP, "the kernel cannot emulate the instruction there"},
    ErrnoCause{kernel_not_supported, "the kernel cannot emulate the instruction there"},
};

constexpr std::array counting_causes{
    ErrnoCause{EACCES, "the kernel does not permit it", needs_root},
    ErrnoCause{EPERM, "the kernel does not permit it", needs_root},
    ErrnoCause{ENOENT, "this machine does not support the event", "virtual machines often have no hardware counters"},
    ErrnoCause{ENODEV, "this machine does not support the event"},
    ErrnoCause{EOPNOTSUPP, "this machine cannot interrupt on the event",
               "virtual machines often have no hardware counters"},
    ErrnoCause{EINVAL, "the kernel cannot run a program every so many counts of it"},
    ErrnoCause{ESRCH, "the process has ended"},
    ErrnoCause{ENOSPC, "all debug registers of the CPU are in use",
               "stop the debugger or tracer that has set watchpoints, or set fewer"},
};

// Where an event counts: on a CPU, in a process (or thread), or both; -1: any.
struct Counted {
    int process = -1;
    int cpu = -1;
};

Result<Descriptor> open_counted(perf_event_attr attr, const Counted& where, const std::string& what,
                                std::span<const ErrnoCause> causes) {
    attr.size = sizeof attr;
    attr.disabled = 1;
    constexpr int no_group = -1;
    long fd = ::syscall(SYS_perf_event_open, &attr, where.process, where.cpu, no_group, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return refusal(what, causes, errno);
    return Descriptor(static_cast<int>(fd));
}

Result<Descriptor> open_event(perf_event_attr attr, const std::string& what, std::span<const ErrnoCause> causes) {
    auto cpus = online_cpus();
    if (!cpus) return cpus.error_in(what);
    return open_counted(attr, {-1, cpus->front()}, what, causes);
}

// A number after a prefix in a file of the kernel: "8", or "config:0".
std::optional<uint32_t> number_in(const std::string& path, const std::string& prefix) {
    std::ifstream in(path);
    std::string before(prefix.size(), '\0');
    uint32_t number = 0;
    if (!in.read(before.data(), static_cast<std::streamsize>(before.size())) || before != prefix || !(in >> number))
        return std::nullopt;
    return number;
}

// `name` and `offset` give the location, in the form that the kind of probe expects.
Result<perf_event_attr> probe_event(const std::string& pmu, const std::string& name, uint64_t offset, bool at_return,
                                    const std::string& what) {
    const std::string folder = "/sys/bus/event_source/devices/" + pmu;
    auto type = number_in(folder + "/type", "");
    auto return_bit = number_in(folder + "/format/retprobe", "config:");
    if (!type || !return_bit) return Error{fmt::format("{}: this kernel has no {}s", what, pmu), "", ENODEV};
    perf_event_attr attr{};
    attr.type = *type;
    attr.config = at_return ? uint64_t{1} << *return_bit : 0;
    attr.config1 = reinterpret_cast<uint64_t>(name.c_str());
    attr.config2 = offset;
    return attr;
}

}  // namespace

Result<Descriptor> open_tracepoint_event(uint64_t id) {
    perf_event_attr attr{};
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = id;
    return open_event(attr, "tracepoint", tracepoint_causes);
}

Result<Descriptor> open_kprobe_event(const std::string& function, uint64_t offset, bool at_return) {
    std::string what = fmt::format("{} on {}{}", at_return ? "kretprobe" : "kprobe", function,
                                   offset == 0 ? "" : fmt::format("+{}", offset));
    auto attr = probe_event("kprobe", function, offset, at_return, what);
    if (attr && function.starts_with("0x")) {
        attr->config1 = 0;
        attr->config2 = std::strtoull(function.c_str(), nullptr, 16);
    }
    return attr ? open_event(*attr, what, kprobe_causes) : attr.error();
}

// If the kernel does not know semaphores, nothing would raise this one.
Status add_semaphore(perf_event_attr& attr, const UprobePlace& place) {
    if (place.semaphore == 0) return Done{};
    const auto shift = number_in("/sys/bus/event_source/devices/uprobe/format/ref_ctr_offset", "config:");
    if (!shift) return Error{"this kernel cannot raise the semaphore of a USDT marker (Linux 4.20)", "", ENODEV};
    attr.config |= place.semaphore << *shift;
    return Done{};
}

Result<Descriptor> open_uprobe_event(const UprobePlace& place) {
    std::string what =
        fmt::format("{} at {}+{:#x}", place.at_return ? "uretprobe" : "uprobe", place.path, place.offset);
    auto attr = probe_event("uprobe", place.path, place.offset, place.at_return, what);
    if (!attr) return attr.error();
    if (Status added = add_semaphore(*attr, place); !added) return added.error_in(what);
    return place.process == 0 ? open_event(*attr, what, uprobe_causes)
                              : open_counted(*attr, {place.process, -1}, what, uprobe_causes);
}

// The kernel lowers its limit while it runs if samples take too long.
Status allowed_rate(const PerfEvent& event) {
    const auto most = number_in("/proc/sys/kernel/perf_event_max_sample_rate", "");
    if (!event.by_frequency || !most || event.every <= *most) return Done{};
    return Error{fmt::format("this kernel allows at most {} samples a second, not {}", *most, event.every),
                 "raise it: `sysctl kernel.perf_event_max_sample_rate=N`", EINVAL};
}

Result<Descriptor> open_counting_event(const PerfEvent& event, int thread, int cpu, bool at_exec) {
    if (Status allowed = allowed_rate(event); !allowed) return allowed.error();
    perf_event_attr attr{};
    attr.type = event.type;
    attr.config = event.config;
    attr.config1 = event.config1;
    attr.config2 = event.config2;
    attr.bp_type = event.access;
    attr.sample_period = event.every;  // a union with sample_freq
    attr.freq = event.by_frequency ? 1 : 0;
    attr.enable_on_exec = at_exec ? 1 : 0;
    if (thread > 0) attr.inherit = attr.inherit_thread = 1;
    const std::string what =
        event.type == PERF_TYPE_BREAKPOINT ? fmt::format("watchpoint at {:#x}", event.config1) : "perf event";
    auto opened = open_counted(attr, {thread, cpu}, what, counting_causes);
    if (opened || thread <= 0 || opened.error().code != EINVAL) return opened;
    // Before Linux 5.13, child processes would inherit the event, not only threads.
    attr.inherit = attr.inherit_thread = 0;
    auto alone = open_counted(attr, {thread, cpu}, what, counting_causes);
    return alone ? std::move(alone) : std::move(opened);
}

// If the processor has too few registers for all counters, the kernel multiplexes them. A pinned counter is always on,
// or cannot be read.
Result<Descriptor> open_counter(const PerfEvent& event, int cpu, const std::string& name) {
    perf_event_attr attr{};
    attr.type = event.type;
    attr.config = event.config;
    attr.config1 = event.config1;
    attr.config2 = event.config2;
    attr.pinned = 1;
    return open_counted(attr, {-1, cpu}, fmt::format("counter(\"{}\")", name), counting_causes);
}

Result<Descriptor> link_program(int event, int program, uint64_t cookie) {
    Descriptor link = bpf::link(program, event, BPF_PERF_EVENT, cookie);
    if (link) return link;
    if (errno != EINVAL || cookie != 0) return system_error("cannot set the event's program", errno);
    if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) < 0) return system_error("cannot set the event's program", errno);
    return Descriptor();
}

Status enable_event(int event) {
    if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0) return system_error("cannot enable the event", errno);
    return Done{};
}

void disable_event(int event) { ioctl(event, PERF_EVENT_IOC_DISABLE, 0); }

}  // namespace lt
