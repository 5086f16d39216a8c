#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "driver/triage/suspects.h"

namespace lt::triage {
namespace {

// Charges of one identity are one suspect.
using Identity = std::tuple<Kind, uint64_t, uint64_t, std::string>;

Identity identity(const Charge& c) {
    switch (c.kind) {
        case Kind::quota:
        case Kind::memory:
        case Kind::io_limit:
        case Kind::dirty:
        case Kind::softirq:
        case Kind::interrupt:
        case Kind::stuck:
            return {c.kind, c.number, 0, ""};
        case Kind::disk:
            return {c.kind, c.device, 0, ""};
        case Kind::memory_lock:
            return {c.kind, c.process, 0, ""};
        case Kind::user_lock:
            return {c.kind, c.process, 0, c.name};
        case Kind::peer:
            return {c.kind, c.number, 0, c.name};
        case Kind::cpu:
        case Kind::kernel_lock:
        case Kind::file_lock:
        case Kind::dns:
        case Kind::server:
            return {c.kind, 0, 0, c.name};
    }
    return {};
}

uint64_t device_of(const IoLimit& limit) { return device_number(limit.major, limit.minor); }

// A partition, or a device that is made of others, is on the disks below it.
std::set<uint64_t> disks_of(const Evidence& evidence, uint64_t device) {
    const auto below = evidence.below.find(device);
    return below == evidence.below.end() ? std::set<uint64_t>{device} : below->second;
}

// Can a limit of the group hold back requests to this device? 0: it is not known which one it is.
bool limits_device(const Evidence& evidence, const Group& group, uint64_t device) {
    if (device == 0) return !group.io_limits.empty();
    const std::set<uint64_t> disks = disks_of(evidence, device);
    return std::ranges::any_of(group.io_limits, [&](const IoLimit& limit) {
        return std::ranges::any_of(disks_of(evidence, device_of(limit)),
                                   [&](uint64_t disk) { return disks.contains(disk); });
    });
}

// The group itself or the nearest one above it that limits the device for which threads waited.
const Group* limiting(const Evidence& evidence, const Charge& charge) {
    const std::map<uint64_t, Group>& groups = evidence.groups.io;
    const auto own = groups.find(charge.number);
    if (own == groups.end()) return nullptr;
    const Group* nearest = nullptr;
    for (const auto& [_, group] : groups) {
        const bool above = own->second.path == group.path || own->second.path.starts_with(group.path + "/");
        if (!above || !limits_device(evidence, group, charge.device)) continue;
        if (!nearest || group.path.size() > nearest->path.size()) nearest = &group;
    }
    return nearest;
}

// Requests that a limit holds back wait before the block layer sees them: what the disks themselves did not take, the
// limit did. The disks' time is that of all requests, so the limit's share is rather too small.
double share_of_limit(const Group& group, const Evidence& evidence, double waited) {
    double flight = 0;
    for (const IoLimit& limit : group.io_limits) {
        const auto disk = evidence.disks.find(device_of(limit));
        if (disk != evidence.disks.end()) flight += disk->second.flight;
    }
    return waited <= flight ? 0 : 1 - flight / waited;
}

uint64_t busiest_disk(const Evidence& evidence) {
    uint64_t busiest = 0;
    double most = 0;
    for (const auto& [device, disk] : evidence.disks)
        if (disk.flight > most) most = disk.flight, busiest = device;
    return busiest;
}

Charge part_of(Charge charge, double share) {
    charge.ns = static_cast<uint64_t>(static_cast<double>(charge.ns) * share);
    return charge;
}

// Divides the waits for disks between limits and disks.
std::vector<Charge> divide_disks(const Evidence& evidence) {
    std::map<const Group*, double> waited;  // milliseconds per second, by the group that has the limit
    for (const Charge& c : evidence.charges)
        if (c.kind == Kind::disk) waited[limiting(evidence, c)] += static_cast<double>(c.ns) / 1e6 / evidence.seconds;
    const uint64_t busiest = busiest_disk(evidence);
    std::vector<Charge> all;
    for (const Charge& c : evidence.charges) {
        if (c.kind != Kind::disk) {
            all.push_back(c);
            continue;
        }
        const Group* group = limiting(evidence, c);
        const double share = group ? share_of_limit(*group, evidence, waited[group]) : 0;
        Charge by_limit = part_of(c, share), by_disk = part_of(c, 1 - share);
        by_limit.kind = Kind::io_limit;
        if (by_disk.device == 0) by_disk.device = busiest;
        if (by_limit.ns != 0) all.push_back(std::move(by_limit));
        if (by_disk.ns != 0) all.push_back(std::move(by_disk));
    }
    return all;
}

// ksoftirqd does the work of the softirqs, mostly of the one that takes the most time. What runs in it interrupts
// no thread: it counts by those that wait for ksoftirqd, and not a second time as time that was taken from ksoftirqd.
void give_to_softirqs(std::vector<Charge>& charges) {
    std::map<uint64_t, uint64_t> time;
    for (const Charge& c : charges)
        if (c.kind == Kind::softirq) time[c.number] += c.ns;
    if (time.empty()) return;
    const uint64_t vector = std::ranges::max_element(time, {}, [](const auto& entry) { return entry.second; })->first;
    constexpr std::string_view thread = "ksoftirqd/";
    for (Charge& c : charges) {
        if (c.kind == Kind::softirq && c.victim.starts_with(thread)) c.ns = 0;  // its count is of runs
        if (c.kind != Kind::cpu || !c.name.starts_with(thread)) continue;
        c.kind = Kind::softirq;
        c.number = vector;
        c.count = 0;  // of waits
    }
}

// A futex without a known holder can be a condition variable, on which a program waits for work.
void drop_idle_futexes(std::vector<Charge>& charges) {
    std::map<std::pair<uint64_t, std::string>, bool> held;
    for (const Charge& c : charges)
        if (c.kind == Kind::user_lock) held[{c.process, c.name}] |= !c.holder.empty();
    std::erase_if(charges, [&](const Charge& c) { return c.kind == Kind::user_lock && !held[{c.process, c.name}]; });
}

void add_stuck(const Evidence& evidence, std::vector<Charge>& charges) {
    for (const Stuck& stuck : evidence.stuck)
        charges.push_back({.kind = Kind::stuck,
                           .number = stuck.tid,
                           .process = stuck.pid,
                           .name = stuck.function,
                           .victim = stuck.name,
                           .count = 1,
                           .ns = static_cast<uint64_t>(evidence.seconds * 1e9)});
}

std::string holder_text(const Charge& c) {
    return c.holder_tid == 0 ? c.holder : fmt::format("{} (thread {})", c.holder, c.holder_tid);
}

struct Gathered {
    Suspect suspect;
    std::map<uint64_t, uint64_t> numbers;  // time by number
    uint64_t ns = 0;
};

Suspect finished(Gathered& gathered, double seconds) {
    Suspect suspect = std::move(gathered.suspect);
    suspect.cost = static_cast<double>(gathered.ns) / 1e6 / seconds;
    suspect.members = gathered.numbers.size();
    // of several processes with one name, the one that cost the most
    suspect.number =
        std::ranges::max_element(gathered.numbers, {}, [](const auto& entry) { return entry.second; })->first;
    return suspect;
}

}  // namespace

std::vector<Suspect> rank(const Evidence& evidence, double least) {
    if (!(evidence.seconds > 0)) return {};
    std::vector<Charge> charges = divide_disks(evidence);
    give_to_softirqs(charges);
    drop_idle_futexes(charges);
    add_stuck(evidence, charges);
    std::map<Identity, Gathered> all;
    for (const Charge& c : charges) {
        Gathered& to = all[identity(c)];
        to.suspect.kind = c.kind;
        to.suspect.device = c.device;
        to.suspect.process = c.process;
        to.suspect.name = c.name;
        to.suspect.waits += c.count;
        if (c.ns != 0) to.suspect.victims[c.victim] += c.ns;
        to.numbers[c.number] += c.ns;
        to.ns += c.ns;
        if (!c.holder.empty()) to.suspect.holders[holder_text(c)] += c.ns;
    }
    std::vector<Suspect> suspects;
    for (auto& [_, gathered] : all) {
        Suspect suspect = finished(gathered, evidence.seconds);
        if (suspect.cost < least) continue;
        const KindRow& row = kind_rows()[static_cast<size_t>(suspect.kind)];
        suspect.what = row.what(suspect, evidence);
        row.add(suspect, evidence);
        suspect.next = row.next(suspect);
        suspects.push_back(std::move(suspect));
    }
    std::ranges::stable_sort(suspects, std::ranges::greater{}, &Suspect::cost);
    return suspects;
}

}  // namespace lt::triage
