// The kinds of suspects, a row each: how it is found, its sentence, its evidence and the next command.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/rows.h"
#include "base/text.h"
#include "driver/triage/suspects.h"

namespace lt::triage {
namespace {

// A command line that a shell takes as it is.
std::string command(std::string_view script) {
    std::string text = "lt -e '";
    for (const char c : script) {
        if (c == '\'')
            text += "'\\''";
        else
            text += c;
    }
    return text + "'";
}

std::string bytes_text(double bytes) {
    constexpr std::array<std::string_view, 4> units{"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) bytes /= 1024, unit++;
    return fmt::format("{:.{}f} {}", bytes, bytes < 10 && unit > 0 ? 1 : 0, units[unit]);
}

double per_second(const Suspect& s, uint64_t ns) {  // milliseconds
    uint64_t all = 0;
    for (const auto& [_, time] : s.victims) all += time;
    return all == 0 ? 0 : s.cost * static_cast<double>(ns) / static_cast<double>(all);
}

// "mysqld 510 ms/s, bash 3 ms/s and 4 more"
std::string largest(const Suspect& s, const std::map<std::string, uint64_t>& times, size_t most) {
    std::vector<std::pair<std::string, uint64_t>> sorted(times.begin(), times.end());
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &std::pair<std::string, uint64_t>::second);
    std::string text;
    for (size_t i = 0; i < std::min(sorted.size(), most); i++)
        text += fmt::format("{}{} {:.0f} ms/s", i == 0 ? "" : ", ", sorted[i].first, per_second(s, sorted[i].second));
    if (sorted.size() > most) text += fmt::format(" and {} more", sorted.size() - most);
    return text;
}

void add_victims(Suspect& s, const Evidence& e, std::string_view doing) {
    std::string text = fmt::format("{}: {}", doing, largest(s, s.victims, 4));
    if (s.waits != 0) {
        const double each = s.cost * e.seconds / static_cast<double>(s.waits);
        text += fmt::format("; {:.{}f} waits/s of {:.{}f} ms", static_cast<double>(s.waits) / e.seconds,
                            static_cast<double>(s.waits) < 10 * e.seconds ? 1 : 0, each, each < 10 ? 1 : 0);
    }
    s.evidence.push_back(std::move(text));
}

const Group* find(const std::map<uint64_t, Group>& groups, uint64_t id) {
    const auto group = groups.find(id);
    return group == groups.end() ? nullptr : &group->second;
}

std::string path_of(const std::map<uint64_t, Group>& groups, uint64_t id) {
    const Group* group = find(groups, id);
    return group ? group->path : fmt::format("control group {}", id);
}

const DiskUse* find_disk(const Evidence& e, uint64_t device) {
    const auto disk = e.disks.find(device);
    return disk == e.disks.end() ? nullptr : &disk->second;
}

std::string disk_name(const Evidence& e, uint64_t device) {
    const DiskUse* disk = find_disk(e, device);
    if (disk) return disk->name;
    return device == 0 ? "a disk" : fmt::format("device {}:{}", device >> 20, device & 0xfffff);
}

void add_disk(Suspect& s, const Evidence& e, uint64_t device) {
    const DiskUse* disk = find_disk(e, device);
    if (!disk) return;
    s.evidence.push_back(fmt::format("{}: {:.0f} requests/s, {}/s, {:.{}f} ms each in the block layer, busy {:.0f} %",
                                     disk->name, disk->requests, bytes_text(disk->bytes), disk->each,
                                     disk->each < 10 ? 2 : 0, disk->busy * 100));
}

void add_counter(Suspect& s, const Evidence& e, std::string_view name, std::string_view meaning) {
    const auto counter = e.counters.find(name);
    if (counter != e.counters.end()) s.evidence.push_back(fmt::format("{}: {:.0f}/s", meaning, counter->second));
}

void add_pressure(Suspect& s, const Evidence& e, std::string_view what) {
    const auto pressure = e.pressure.find(std::string(what));
    if (pressure != e.pressure.end() && pressure->second >= 0.005)
        s.evidence.push_back(fmt::format("pressure: some thread of the machine was stalled on {} {:.0f} % of the time",
                                         what, pressure->second * 100));
}

// ---- the kinds

// The group whose quota stopped the threads of this one: itself or one above, rather one that has used it up.
const Group* with_quota(const std::map<uint64_t, Group>& groups, uint64_t id) {
    const Group *const own = find(groups, id), *best = nullptr;
    const auto weight = [](const Group& g) { return std::pair(g.throttled != 0, g.path.size()); };
    for (const auto& [_, group] : groups) {
        const bool above = own && (own->path == group.path || own->path.starts_with(group.path + "/"));
        if (above && !group.quota.empty() && (!best || weight(group) > weight(*best))) best = &group;
    }
    return best ? best : own;
}

std::string quota_what(const Suspect& s, const Evidence& e) {
    const Group* group = with_quota(e.groups.cpu, s.number);
    const std::string quota = group && !group->quota.empty() ? fmt::format(", {}", group->quota) : "";
    return fmt::format("the CPU quota of {}{}", group ? group->path : path_of(e.groups.cpu, s.number), quota);
}
void quota_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "stopped until the next period");
    const Group* group = with_quota(e.groups.cpu, s.number);
    if (group && group->periods != 0)
        s.evidence.push_back(fmt::format("used up in {} of {} periods", group->throttled, group->periods));
}
std::string quota_next(const Suspect& s) {
    return command(
        fmt::format("rt:sched_switch[tid] -> rt:sched_switch[tid] /tid != 0 && curtask->cgroups->subsys[cpu_cgrp_id]"
                    "->cgroup->kn->id == {}/ < @[comm, tid] = why() >",
                    s.number));
}

std::string memory_what(const Suspect& s, const Evidence& e) {
    const Group* group = find(e.groups.memory, s.number);
    if (group && group->memory_limit != 0)
        return fmt::format("the memory limit of {}, {}", group->path,
                           bytes_text(static_cast<double>(group->memory_limit)));
    return fmt::format("too little memory for {}", path_of(e.groups.memory, s.number));
}
void memory_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "freed memory or waited for it");
    const Group* group = find(e.groups.memory, s.number);
    if (group && group->memory_used != 0)
        s.evidence.push_back(fmt::format("{} are in use", bytes_text(static_cast<double>(group->memory_used))));
    add_pressure(s, e, "memory");
    add_counter(s, e, "pgscan_direct", "pages scanned by those who needed memory");
    add_counter(s, e, "pswpin", "pages read from swap");
}
std::string memory_next(const Suspect&) {
    return command(
        "t:vmscan:mm_vmscan_memcg_reclaim_begin[tid], t:vmscan:mm_vmscan_direct_reclaim_begin[tid] -> "
        "t:vmscan:mm_vmscan_memcg_reclaim_end[tid], t:vmscan:mm_vmscan_direct_reclaim_end[tid] "
        "< @[comm, kstack(6)] = dist(latency) >");
}

std::string io_limit_what(const Suspect& s, const Evidence& e) {
    return fmt::format("the I/O limit of {}", path_of(e.groups.io, s.number));
}
void io_limit_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "held back before the disk");
    // the limit may be that of a group above
    const Group* own = find(e.groups.io, s.number);
    for (const auto& [_, group] : e.groups.io) {
        if (!own || !(own->path == group.path || own->path.starts_with(group.path + "/"))) continue;
        for (const IoLimit& limit : group.io_limits) {
            const uint64_t device = device_number(limit.major, limit.minor);
            s.evidence.push_back(fmt::format("{} on {} in {}", limit.limits, disk_name(e, device), group.path));
            add_disk(s, e, device);
        }
    }
}
std::string io_limit_next(const Suspect& s) {
    return command(
        fmt::format("sc:read, sc:write, sc:pread64, sc:pwrite64, sc:fsync, sc:fdatasync "
                    "/curtask->cgroups->subsys[io_cgrp_id]->cgroup->kn->id == {}/ > 10ms < @[comm, probe] = why() >",
                    s.number));
}

std::string user_lock_what(const Suspect& s, const Evidence&) {
    return fmt::format("the lock {} of process {}", s.name, s.process);
}
void lock_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "waited for it");
    if (!s.holders.empty()) s.evidence.push_back(fmt::format("held by {}", largest(s, s.holders, 3)));
    if (s.kind == Kind::kernel_lock) return;  // is one of a known holder, or of none
    double unknown = s.cost;
    for (const auto& [_, ns] : s.holders) unknown -= per_second(s, ns);
    if (unknown >= 0.5) s.evidence.push_back(fmt::format("holder not known: {:.0f} ms/s", unknown));
}
std::string user_lock_next(const Suspect& s) {
    return command(
        fmt::format("sc:futex /pid == {}/ > 1ms < @[usym(args.uaddr), why.longest.holder_comm, ustack] = "
                    "dist(latency) >",
                    s.process));
}

std::string memory_lock_what(const Suspect& s, const Evidence&) {
    return fmt::format("mmap_lock of process {}", s.process);
}
std::string memory_lock_next(const Suspect& s) {
    return command(
        fmt::format("sc:mmap, sc:munmap, sc:mprotect, sc:madvise, sc:mremap, sc:brk /pid == {}/ "
                    "< @[probe, comm, tid] = dist(latency) >",
                    s.process));
}

std::string kernel_lock_what(const Suspect& s, const Evidence&) {
    return s.name.empty() ? "locks of the kernel, whose holder is not known"
                          : fmt::format("a lock of the kernel that {} held", s.name);
}
std::string kernel_lock_next(const Suspect&) {
    return command(
        "sc:* > 1ms < if (why.lock > 1ms) { @[probe, comm, why.longest.holder_comm, why.longest.stack] = "
        "sum(why.lock); } >");
}

std::string file_lock_what(const Suspect& s, const Evidence&) {
    const std::string thread = s.number == 0 ? "" : fmt::format(" (thread {})", s.number);
    return fmt::format("a file lock that {}{} released", s.name, thread);
}
void file_lock_add(Suspect& s, const Evidence& e) { add_victims(s, e, "waited for it"); }
std::string file_lock_next(const Suspect&) {
    return command("sc:flock, sc:fcntl > 1ms < @[comm, pid, args.fd, why.longest.waker_comm] = dist(latency) >");
}

std::string disk_what(const Suspect& s, const Evidence& e) {
    return s.device == 0 ? "a disk" : fmt::format("disk {}", disk_name(e, s.device));
}
void disk_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "waited for it");
    add_disk(s, e, s.device);
    add_pressure(s, e, "io");
}
std::string disk_next(const Suspect&) {
    return command(
        "t:block:block_rq_issue[args.dev, args.sector] -> t:block:block_rq_complete[args.dev, args.sector] "
        "< @[args.dev, entry(args.rwbs), entry(comm)] = dist(latency) >");
}

std::string dirty_what(const Suspect& s, const Evidence& e) {
    return fmt::format("too much written data waits for the disk, in {}", path_of(e.groups.io, s.number));
}
void dirty_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "slowed down while writing");
    add_counter(s, e, "nr_dirtied", "pages written to");
    add_counter(s, e, "nr_written", "pages on the disk");
}
std::string dirty_next(const Suspect&) {
    return command("t:writeback:balance_dirty_pages { @[comm, args.bdi] = dist(args.pause); }");
}

std::string server_what(const Suspect&, const Evidence&) {
    return "a file system outside of the kernel (FUSE, virtiofs, NFS)";
}
void server_add(Suspect& s, const Evidence& e) { add_victims(s, e, "waited for its answers"); }
std::string server_next(const Suspect&) {
    return command("sc:* > 1ms < if (why.server > 1ms) { @[probe, comm, why.longest.stack] = dist(why.server); } >");
}

std::string dns_what(const Suspect& s, const Evidence&) { return fmt::format("the DNS server {}", s.name); }
void peer_add(Suspect& s, const Evidence& e) { add_victims(s, e, "waited for its answers"); }
std::string dns_next(const Suspect&) { return command("u:libc:getaddrinfo < @[comm, str(arg0)] = dist(latency) >"); }

std::string peer_what(const Suspect& s, const Evidence&) { return fmt::format("the peer {}:{}", s.name, s.number); }
void tcp_add(Suspect& s, const Evidence& e) {
    peer_add(s, e);
    add_counter(s, e, "Tcp.RetransSegs", "TCP segments sent again, to any peer");
}
std::string peer_next(const Suspect& s) {
    std::string script = "sc:read, sc:recvfrom, sc:recvmsg, sc:poll, sc:epoll_wait ";
    if (!s.victims.empty()) {
        const auto most = std::ranges::max_element(s.victims, {}, [](const auto& v) { return v.second; });
        script += fmt::format("/comm == {}/ ", lt::quoted(most->first));
    }
    return command(script + "> 1ms < @[comm, probe, ustack] = dist(latency) >");
}

std::string softirq_what(const Suspect& s, const Evidence& e) {
    const auto name = e.vectors.find(s.number);
    return fmt::format("softirq {}", name == e.vectors.end() ? std::to_string(s.number) : name->second);
}
void softirq_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "interrupted");
    s.evidence.back() = fmt::format("interrupted: {}; ran {:.0f} times/s", largest(s, s.victims, 4),
                                    static_cast<double>(s.waits) / e.seconds);
    if (softirq_what(s, e) == "softirq NET_RX") add_counter(s, e, "Ip.InReceives", "packets received");
}
std::string softirq_next(const Suspect&) {
    return command("t:irq:softirq_entry[cpu] -> t:irq:softirq_exit[cpu] < @[args.vec, comm, cpu] = dist(latency) >");
}

std::string interrupt_what(const Suspect& s, const Evidence& e) {
    const auto name = e.interrupts.find(static_cast<uint32_t>(s.number));
    return fmt::format("interrupt {}{}", s.number, name == e.interrupts.end() ? "" : " (" + name->second + ")");
}
void interrupt_add(Suspect& s, const Evidence& e) {
    s.evidence.push_back(fmt::format("interrupted: {}; {:.0f} times/s", largest(s, s.victims, 4),
                                     static_cast<double>(s.waits) / e.seconds));
}
std::string interrupt_next(const Suspect&) {
    return command("t:irq:irq_handler_entry[cpu] -> t:irq:irq_handler_exit[cpu] < @[args.irq, cpu] = dist(latency) >");
}

std::string cpu_what(const Suspect& s, const Evidence&) {
    if (s.number == 0) return "a CPU that was idle before, or it is not known who had it";
    if (s.members == 1) return fmt::format("{} (process {}) had the CPU", s.name, s.number);
    return fmt::format("{} had the CPU ({} processes, most of all {})", s.name, s.members, s.number);
}
void cpu_add(Suspect& s, const Evidence& e) {
    add_victims(s, e, "waited for the CPU");
    add_pressure(s, e, "cpu");
}
std::string cpu_next(const Suspect& s) {
    const std::string who = s.members == 1 && s.number != 0 ? fmt::format("/pid == {}/ ", s.number)
                            : s.number != 0                 ? fmt::format("/comm == {}/ ", lt::quoted(s.name))
                                                            : "";
    return command(fmt::format("profile:hz:99 {}{{ @[pid, comm, ustack, kstack] = count(); }}", who));
}

std::string stuck_what(const Suspect& s, const Evidence&) {
    return fmt::format("thread {} has not come back{}", s.number,
                       s.name.empty() ? "" : fmt::format(" from {}() in the kernel", s.name));
}
void stuck_add(Suspect& s, const Evidence& e) {
    s.evidence.push_back(fmt::format("{} (process {}) was in an uninterruptible wait for all {:.1f} s",
                                     s.victims.empty() ? "" : s.victims.begin()->first, s.process, e.seconds));
}
std::string stuck_next(const Suspect& s) {
    return command(
        fmt::format("it:task_file /ctx->task->pid == {}/ {{ printf(\"%d %s\\n\", ctx->fd, "
                    "path(ctx->file->f_path)); }}",
                    s.number));
}

constexpr std::array all_kinds{
    KindRow{Kind::quota, "quota", "threads that were runnable in a control group without CPU time left", quota_what,
            quota_add, quota_next},
    KindRow{Kind::memory, "memory", "threads that freed memory themselves, by control group", memory_what, memory_add,
            memory_next},
    KindRow{Kind::io_limit, "io-limit",
            "waits for a disk that took less time than the waits, in a group with a limit on it", io_limit_what,
            io_limit_add, io_limit_next},
    KindRow{Kind::user_lock, "lock", "futex calls on a word that names its holder", user_lock_what, lock_add,
            user_lock_next},
    KindRow{Kind::memory_lock, "mmap-lock", "contention of mmap_lock, by process", memory_lock_what, lock_add,
            memory_lock_next},
    KindRow{Kind::kernel_lock, "kernel-lock", "contention of the kernel's sleeping locks, by holder", kernel_lock_what,
            lock_add, kernel_lock_next},
    KindRow{Kind::file_lock, "file-lock", "flock and fcntl, by who released it", file_lock_what, file_lock_add,
            file_lock_next},
    KindRow{Kind::disk, "disk", "waits for a disk, by the device to which the thread sent its last request", disk_what,
            disk_add, disk_next},
    KindRow{Kind::dirty, "dirty", "writers in balance_dirty_pages", dirty_what, dirty_add, dirty_next},
    KindRow{Kind::server, "file-server", "waits for FUSE, virtiofs and NFS", server_what, server_add, server_next},
    KindRow{Kind::dns, "dns", "waits that ended with a UDP packet from port 53", dns_what, peer_add, dns_next},
    KindRow{Kind::peer, "peer", "waits that ended with the first data after a request, on connections made from here",
            peer_what, tcp_add, peer_next},
    KindRow{Kind::softirq, "softirq", "time of softirqs while a thread had the CPU, by vector", softirq_what,
            softirq_add, softirq_next},
    KindRow{Kind::interrupt, "interrupt", "the same for hard interrupts, by number", interrupt_what, interrupt_add,
            interrupt_next},
    KindRow{Kind::cpu, "cpu", "waits in the run queue, by the thread that had the CPU before", cpu_what, cpu_add,
            cpu_next},
    KindRow{Kind::stuck, "stuck", "threads in an uninterruptible wait that lasted all the time", stuck_what, stuck_add,
            stuck_next},
};
static_assert(in_enum_order(all_kinds, &KindRow::kind, kinds));

}  // namespace

std::span<const KindRow> kind_rows() { return all_kinds; }

}  // namespace lt::triage
