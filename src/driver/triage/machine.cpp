#include "driver/triage/machine.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "base/text.h"
#include "runtime/os/mounts.h"

namespace lt::triage {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
    Result<std::string> text = read_text(path);
    return text ? *std::move(text) : std::string();
}

bool has(const GroupMount& mount, std::string_view controller) {
    return mount.unified || std::ranges::find(mount.controllers, controller) != mount.controllers.end();
}

// Calls visit(path) for each folder of a hierarchy, which can change meanwhile. Stops at folders that cannot be read.
template <class Visit>
void walk(const std::string& root, const Visit& visit) {
    std::error_code failed;
    visit(root);
    fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, failed), end;
    while (!failed && at != end) {
        std::error_code gone;
        if (at->is_directory(gone)) visit(at->path().string());
        at.increment(failed);
    }
}

uint64_t inode(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

uint64_t number_in(const std::string& path) {  // 0: none, or `max`
    const std::string text = text_of(path);
    return parse_number<uint64_t>(trim(text)).value_or(0);
}

// ---- what a group allows

std::string quota_text(const GroupMount& mount, const std::string& path) {
    if (mount.unified) {
        const auto quota = read_cpu_max(text_of(path + "/cpu.max"));
        return quota ? fmt::format("{} of every {} us", quota->quota_us, quota->period_us) : "";
    }
    const uint64_t quota = number_in(path + "/cpu.cfs_quota_us"), period = number_in(path + "/cpu.cfs_period_us");
    return quota != 0 && period != 0 ? fmt::format("{} of every {} us", quota, period) : "";
}

void read_memory(Group& group, const GroupMount& mount) {
    constexpr uint64_t unlimited = uint64_t{1} << 62;  // version 1 writes a large number
    group.memory_limit = number_in(group.path + (mount.unified ? "/memory.max" : "/memory.limit_in_bytes"));
    if (mount.unified && group.memory_limit == 0) group.memory_limit = number_in(group.path + "/memory.high");
    if (group.memory_limit >= unlimited) group.memory_limit = 0;
    group.memory_used = number_in(group.path + (mount.unified ? "/memory.current" : "/memory.usage_in_bytes"));
}

void read_io(Group& group, const GroupMount& mount) {
    if (mount.unified) {
        group.io_limits = read_io_max(text_of(group.path + "/io.max"));
        return;
    }
    constexpr std::array names{std::pair{"read_bps", "rbps"}, std::pair{"write_bps", "wbps"},
                               std::pair{"read_iops", "riops"}, std::pair{"write_iops", "wiops"}};
    for (const auto& [file, name] : names) {
        const std::string path = fmt::format("{}/blkio.throttle.{}_device", group.path, file);
        for (const IoLimit& limit : read_throttle_device(text_of(path), name)) add_limit(group.io_limits, limit);
    }
}

std::map<uint64_t, Group> read_groups(const std::vector<GroupMount>& mounts, std::string_view controller,
                                      const std::set<uint64_t>& wanted, void (*read)(Group&, const GroupMount&)) {
    std::map<uint64_t, Group> groups;
    if (wanted.empty()) return groups;
    for (const GroupMount& mount : mounts) {
        if (!has(mount, controller)) continue;
        std::map<uint64_t, Group> found;
        walk(mount.path, [&](const std::string& path) {
            Group group{path};
            read(group, mount);
            found.emplace(inode(path), std::move(group));
        });
        // with both versions mounted, the controllers are in one of them
        if (!mount.unified || groups.empty()) groups.insert(found.begin(), found.end());
        if (!mount.unified) return found;
    }
    return groups;
}

// ---- differences

uint64_t since(uint64_t now, uint64_t then) { return now > then ? now - then : 0; }

void compare_disks(Evidence& e, const Counters& before, const Counters& after, double seconds) {
    for (const Disk& now : after.disks) {
        const uint64_t device = device_number(now.major, now.minor);
        const auto then = std::ranges::find_if(
            before.disks, [&](const Disk& disk) { return disk.major == now.major && disk.minor == now.minor; });
        const Disk zero, &old = then == before.disks.end() ? zero : *then;
        DiskUse use{now.name};
        const double requests = static_cast<double>(since(now.requests, old.requests));
        const double flight = static_cast<double>(since(now.flight_ms, old.flight_ms));
        use.requests = requests / seconds;
        use.bytes = static_cast<double>(since(now.sectors, old.sectors)) * 512 / seconds;
        use.busy = static_cast<double>(since(now.busy_ms, old.busy_ms)) / 1e3 / seconds;
        use.flight = flight / seconds;
        use.each = requests > 0 ? flight / requests : 0;
        e.disks.emplace(device, use);
    }
}

// A partition's disk, and the devices that others are made of, down to those that are made of none.
void add_disks_below(std::set<uint64_t>& disks, const std::string& folder, uint64_t device, int levels) {
    std::error_code failed;
    std::vector<std::string> folders;
    if (fs::exists(folder + "/partition", failed)) folders.push_back(folder + "/..");
    for (fs::directory_iterator at(folder + "/slaves", failed), end; !failed && at != end; at.increment(failed))
        folders.push_back(at->path().string());
    bool is_lowest = true;
    for (const std::string& below : levels > 0 ? folders : std::vector<std::string>{}) {
        const auto number = read_device_number(text_of(below + "/dev"));
        if (!number) continue;
        is_lowest = false;
        add_disks_below(disks, below, *number, levels - 1);
    }
    if (is_lowest) disks.insert(device);
}

// Of the disks that are charged, and of those on which there are limits.
void find_disks_below(Evidence& e) {
    constexpr int most_levels = 8;
    std::set<uint64_t> devices;
    for (const Charge& c : e.charges)
        if (c.kind == Kind::disk && c.device != 0) devices.insert(c.device);
    for (const auto& [_, group] : e.groups.io)
        for (const IoLimit& limit : group.io_limits) devices.insert(device_number(limit.major, limit.minor));
    for (const uint64_t device : devices) {
        const std::string folder = fmt::format("/sys/dev/block/{}:{}", device >> 20, device & 0xfffff);
        add_disks_below(e.below[device], folder, device, most_levels);
    }
}

std::set<uint64_t> charged(const Evidence& e, std::initializer_list<Kind> kinds_of) {
    std::set<uint64_t> ids;
    for (const Charge& c : e.charges)
        if (std::ranges::find(kinds_of, c.kind) != kinds_of.end()) ids.insert(c.number);
    return ids;
}

void add_group_files(std::map<std::string, Counters::CpuStat>& to, const std::string& path) {
    const Numbers stat = read_numbers(text_of(path + "/cpu.stat"));
    const auto periods = stat.find("nr_periods"), throttled = stat.find("nr_throttled");
    if (periods == stat.end() || throttled == stat.end() || periods->second == 0) return;
    to.emplace(path, Counters::CpuStat{periods->second, throttled->second});
}

}  // namespace

std::vector<GroupMount> group_mounts() { return read_group_mounts(text_of("/proc/self/mountinfo")); }

Counters read_counters(const std::vector<GroupMount>& mounts) {
    Counters counters;
    counters.at_ns = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    counters.disks = read_diskstats(text_of("/proc/diskstats"));
    counters.numbers = read_pairs(text_of("/proc/net/snmp"));
    counters.numbers.merge(read_pairs(text_of("/proc/net/netstat")));
    counters.numbers.merge(read_numbers(text_of("/proc/vmstat")));
    for (const char* what : {"cpu", "io", "memory"})
        if (const auto pressure = read_pressure(text_of(std::string("/proc/pressure/") + what)))
            counters.pressure.emplace(what, *pressure);
    for (const GroupMount& mount : mounts)
        if (has(mount, "cpu"))
            walk(mount.path, [&](const std::string& path) { add_group_files(counters.groups, path); });
    return counters;
}

std::vector<uint16_t> listening_ports() {
    std::set<std::string> seen;
    std::set<uint16_t> ports;
    std::error_code failed;
    for (fs::directory_iterator at("/proc", failed), end; !failed && at != end; at.increment(failed)) {
        const std::string path = at->path().string();
        if (!parse_number<uint32_t>(at->path().filename().string())) continue;
        std::error_code gone;
        const std::string space = fs::read_symlink(path + "/ns/net", gone).string();
        if (gone || !seen.insert(space).second) continue;
        for (const char* file : {"/net/tcp", "/net/tcp6"})
            for (const uint16_t port : read_listening(text_of(path + file))) ports.insert(port);
    }
    return {ports.begin(), ports.end()};
}

void describe(Evidence& e, const Counters& before, const Counters& after, const std::vector<GroupMount>& mounts) {
    const double seconds = static_cast<double>(since(after.at_ns, before.at_ns)) / 1e9;
    if (!(seconds > 0)) return;
    compare_disks(e, before, after, seconds);
    for (const auto& [name, now] : after.numbers) {
        const auto then = before.numbers.find(name);
        if (then != before.numbers.end() && now > then->second)
            e.counters.emplace(name, static_cast<double>(now - then->second) / seconds);
    }
    for (const auto& [name, now] : after.pressure) {
        const auto then = before.pressure.find(name);
        if (then != before.pressure.end())
            e.pressure.emplace(name, static_cast<double>(since(now.some_us, then->second.some_us)) / 1e6 / seconds);
    }
    e.groups.cpu = read_groups(mounts, "cpu", charged(e, {Kind::quota}), [](Group& group, const GroupMount& mount) {
        group.quota = quota_text(mount, group.path);
    });
    for (auto& [_, group] : e.groups.cpu) {
        const auto then = before.groups.find(group.path), now = after.groups.find(group.path);
        if (now == after.groups.end()) continue;
        const Counters::CpuStat zero, &old = then == before.groups.end() ? zero : then->second;
        group.periods = since(now->second.periods, old.periods);
        group.throttled = since(now->second.throttled, old.throttled);
    }
    e.groups.memory = read_groups(mounts, "memory", charged(e, {Kind::memory}), read_memory);
    // version 2 calls it io
    const bool old_name =
        std::ranges::any_of(mounts, [](const GroupMount& m) { return !m.unified && has(m, "blkio"); });
    e.groups.io = read_groups(mounts, old_name ? "blkio" : "io", charged(e, {Kind::disk, Kind::dirty}), read_io);
    find_disks_below(e);
    e.interrupts = read_interrupts(text_of("/proc/interrupts"));
    // in the order of the kernel's enumeration, which /proc/softirqs has as well
    uint64_t vector = 0;
    const std::string softirqs = text_of("/proc/softirqs");
    for (const std::string_view line : split(softirqs, '\n'))
        if (const size_t colon = line.find(':'); colon != line.npos)
            e.vectors.emplace(vector++, trim(line.substr(0, colon)));
}

}  // namespace lt::triage
