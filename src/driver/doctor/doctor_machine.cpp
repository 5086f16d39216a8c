#include "driver/doctor/doctor_machine.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "base/text.h"
#include "declarations/c_functions.h"
#include "declarations/read.h"
#include "driver/cli/privileges.h"

namespace lt {
namespace {

// The first line of a file; empty if it cannot be read.
std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string own_path() {
    std::array<char, PATH_MAX> path{};
    const ssize_t n = readlink("/proc/self/exe", path.data(), path.size() - 1);
    return n > 0 ? std::string(path.data(), static_cast<size_t>(n)) : "lt";
}

struct CapabilityRow {
    unsigned number;
    std::string_view name;
    std::string_view what_for;
};
constexpr std::array wanted{
    CapabilityRow{CAP_BPF, "cap_bpf", "loading programs"},
    CapabilityRow{CAP_PERFMON, "cap_perfmon", "attaching them, and reading the kernel's memory"},
    CapabilityRow{CAP_SYS_ADMIN, "cap_sys_admin", "breakpoints on the kernel, mounting tracefs, iterators"},
    CapabilityRow{CAP_SYSLOG, "cap_syslog", "addresses of the kernel's symbols"},
    CapabilityRow{CAP_SYS_PTRACE, "cap_sys_ptrace", "symbols of other users' processes"},
    CapabilityRow{CAP_DAC_READ_SEARCH, "cap_dac_read_search", "tracefs, and other users' programs"},
};

Finding look_at_capabilities() {
    const uint64_t have = effective_capabilities();
    std::vector<std::string> lacking, names;
    for (const CapabilityRow& row : wanted) {
        names.emplace_back(row.name);
        if ((have >> row.number & 1) == 0) lacking.push_back(fmt::format("{} ({})", row.name, row.what_for));
    }
    if (lacking.empty())
        return {Health::good, geteuid() == 0 ? "root, with all capabilities needed" : "all capabilities needed"};
    return {lacking_privilege() ? Health::bad : Health::limited, fmt::format("missing: {}", join(lacking, ", ")),
            fmt::format("run it with sudo, or once: sudo setcap {}+ep {}; in a container: --privileged, or --cap-add "
                        "for each",
                        join(names, ","), own_path())};
}

Finding look_at_lockdown() {
    const std::string line = first_line("/sys/kernel/security/lockdown");
    if (line.empty()) return {Health::good, "none (the kernel has no lockdown, or does not show it)"};
    if (line.find("[confidentiality]") != line.npos)
        return {Health::bad, "confidentiality: programs may not read the kernel's memory",
                "boot without Secure Boot, or with lockdown=integrity on the kernel's command line"};
    if (line.find("[integrity]") != line.npos)
        return {Health::good, "integrity: tracing works; /proc/kcore cannot be read, so no breakpoints on returns"};
    return {Health::good, "none"};
}

Finding look_at_container() {
    struct stat space{};
    constexpr ino_t initial_pid_namespace = 0xEFFFFFFC;
    const bool inside = stat("/proc/self/ns/pid", &space) == 0 && space.st_ino != initial_pid_namespace;
    if (!inside) return {Health::good, "no: pids are those that ps shows here"};
    return {Health::limited, "yes, with its own pids",
            "pid and tid are those of the container, and 0 for processes outside of it; trace from the host, or with "
            "--pid=host"};
}

Finding look_at_addresses() {
    std::ifstream symbols("/proc/kallsyms");
    size_t count = 0, shown = 0;
    for (std::string line; std::getline(symbols, line); count++) shown += line.find_first_not_of('0') < 16 ? 1U : 0U;
    return addresses_finding(count, shown, first_line("/proc/sys/kernel/kptr_restrict"),
                             (effective_capabilities() >> CAP_SYSLOG & 1) != 0);
}

Finding look_at_compiler() {
    const std::string on = first_line("/proc/sys/net/core/bpf_jit_enable");
    if (on != "0") return {Health::good, "programs are compiled to machine code"};
    return {Health::limited, "programs are interpreted, which costs several times as much",
            "sysctl net.core.bpf_jit_enable=1"};
}

// Maps and programs count as memory of lt's control group (since Linux 5.11).
Finding look_at_memory() {
    std::string group = first_line("/proc/self/cgroup");
    group = group.starts_with("0::") ? group.substr(3) : "/";
    const std::string limit = first_line("/sys/fs/cgroup" + group + "/memory.max");
    const unsigned long long bytes = std::strtoull(limit.c_str(), nullptr, 10);
    constexpr unsigned long long megabyte = 1 << 20, little = 256 * megabyte;
    if (limit.empty() || limit == "max" || bytes >= little)
        return {Health::good, limit.empty() || limit == "max" ? "no limit on maps and programs"
                                                              : fmt::format("up to {} MiB", bytes / megabyte)};
    return {Health::limited,
            fmt::format("the control group allows {} MiB, including maps and programs", bytes / megabyte),
            "keep maps small with --max-map-keys, or raise memory.max of the control group"};
}

Finding look_at_libclang() {
    const std::optional<Error> lacking = lacking_libclang();
    if (!lacking) return {Health::good, "libclang is installed: scripts can contain #include and struct"};
    return {Health::limited, lacking->what, lacking->hint};
}

Finding look_at_clang() {
    const std::optional<Error> lacking = lacking_clang();
    if (!lacking) return {Health::good, "clang is installed: SystemTap scripts can contain functions in C"};
    return {Health::limited, lacking->what, lacking->hint};
}

Finding look_at_debug_files() {
    struct stat folder{};
    if (stat("/usr/lib/debug/.build-id", &folder) == 0)
        return {Health::good, "debug files are in /usr/lib/debug: functions and lines of programs"};
    return {Health::good,
            "programs are named by their own symbols; for stripped ones install debug packages (NAME-dbgsym)"};
}

constexpr std::array rows{
    MachineRow{"capabilities", look_at_capabilities},
    MachineRow{"lockdown", look_at_lockdown},
    MachineRow{"container", look_at_container},
    MachineRow{"kernel symbols", look_at_addresses},
    MachineRow{"debug files", look_at_debug_files},
    MachineRow{"BPF compiler", look_at_compiler},
    MachineRow{"memory", look_at_memory},
    MachineRow{"C in scripts", look_at_libclang},
    MachineRow{"functions in C", look_at_clang},
};

}  // namespace

std::span<const MachineRow> machine_rows() { return rows; }

Finding addresses_finding(size_t names, size_t shown, std::string_view restricted, bool has_syslog) {
    if (names == 0) return {Health::bad, "the kernel has none (CONFIG_KALLSYMS)", "kernel stacks show addresses"};
    if (shown != 0) return {Health::good, fmt::format("{} of the kernel and its modules", names)};
    constexpr std::string_view with_right = "run as root, or with cap_syslog",
                               for_all = "sysctl kernel.kptr_restrict=1, since 2 hides them from root, too";
    std::string advice(restricted == "2" ? for_all : with_right);
    if (restricted == "2" && !has_syslog) advice += fmt::format("; then {}", with_right);
    return {Health::limited, fmt::format("{} names, but the kernel hides their addresses", names),
            advice + "; kernel stacks show addresses until then"};
}

}  // namespace lt
