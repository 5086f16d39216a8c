// The kernel's own counters, from texts of /proc and of control groups. Each function reads one kind of file as the
// kernels from 5.10 on write it. A line that is damaged or of another form is skipped: what was not read is not there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lt::triage {

// A line of /proc/diskstats: a disk or a partition. Times are milliseconds since the disk was added.
struct Disk {
    uint32_t major = 0, minor = 0;
    std::string name;
    uint64_t requests = 0;   // completed reads, writes, discards and flushes
    uint64_t sectors = 0;    // of 512 bytes, read and written
    uint64_t busy_ms = 0;    // at least one request was under way
    uint64_t flight_ms = 0;  // of all requests together, from the block layer's first sight of each to its end
};
std::vector<Disk> read_diskstats(std::string_view text);

// Numbers by name: lines of `name value`, as in vmstat, cpu.stat, memory.events, memory.stat.
using Numbers = std::map<std::string, uint64_t, std::less<>>;
Numbers read_numbers(std::string_view text);

// Pairs of lines, as in /proc/net/snmp and netstat: `Tcp: a b` and `Tcp: 1 2` are Tcp.a and Tcp.b. Negative values,
// such as MaxConn's, are left out.
Numbers read_pairs(std::string_view text);

// Totals of /proc/softirqs over all CPUs, by the vector's name.
Numbers read_softirqs(std::string_view text);

// The device of each hard interrupt in /proc/interrupts, by number: "virtio0-input.0".
std::map<uint32_t, std::string> read_interrupts(std::string_view text);

// Microseconds in which some, or all, tasks were stalled: /proc/pressure/* and *.pressure of a control group.
struct Pressure {
    uint64_t some_us = 0, full_us = 0;
};
std::optional<Pressure> read_pressure(std::string_view text);

// Ticks of all CPUs together, from the first line of /proc/stat.
struct CpuTicks {
    uint64_t total = 0;  // without the time of guests, which user time contains
    uint64_t idle = 0;   // and waiting for I/O
    uint64_t steal = 0;
};
std::optional<CpuTicks> read_cpu_ticks(std::string_view text);

// Ports of listening sockets in /proc/net/tcp or tcp6.
std::vector<uint16_t> read_listening(std::string_view text);

// Mounted hierarchies of control groups, from /proc/self/mountinfo.
struct GroupMount {
    std::string path;
    std::vector<std::string> controllers;  // of version 1: "cpu", "cpuacct"; empty for version 2
    bool unified = false;                  // version 2
};
std::vector<GroupMount> read_group_mounts(std::string_view mountinfo);

// As the kernel has it (include/linux/kdev_t.h).
constexpr uint64_t device_number(uint32_t major, uint32_t minor) { return uint64_t{major} << 20 | minor; }

// `8:16`, as in the file dev of a device in sysfs.
std::optional<uint64_t> read_device_number(std::string_view text);

// Limits on a device: io.max of version 2 (`8:0 rbps=1048576 wbps=max`), or one of blkio.throttle.*_device of version 1
// (`8:0 1048576`), whose value gets `name`.
struct IoLimit {
    uint32_t major = 0, minor = 0;
    std::string limits;  // "rbps=1048576 wiops=100"
};
std::vector<IoLimit> read_io_max(std::string_view text);
std::vector<IoLimit> read_throttle_device(std::string_view text, std::string_view name);
// Version 1 has a file for each kind of limit: those on one device become one, as in version 2.
void add_limit(std::vector<IoLimit>& limits, const IoLimit& limit);

// cpu.max of version 2, `50000 100000`; nothing for `max`.
struct Quota {
    uint64_t quota_us = 0, period_us = 0;
};
std::optional<Quota> read_cpu_max(std::string_view text);

// /proc/PID/task/TID/stat. The name may contain blanks and parentheses.
struct TaskState {
    std::string name;
    char state = 0;
};
std::optional<TaskState> read_task_stat(std::string_view text);

}  // namespace lt::triage
