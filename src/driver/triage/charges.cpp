// From the maps of triage's programs to charges.
#include <fmt/format.h>

#include <array>

#include "driver/triage/machine.h"
#include "runtime/os/mounts.h"
#include "runtime/print/printer.h"

namespace lt::triage {
namespace {

uint64_t number(const MapEntry& entry, size_t part) {
    const auto* value = part < entry.key.size() ? std::get_if<int64_t>(&entry.key[part].data) : nullptr;
    return value ? static_cast<uint64_t>(*value) : 0;
}

std::string text(const MapEntry& entry, size_t part) {
    return part < entry.key.size() ? show(entry.key[part], {true}) : std::string();
}

// Takes the parts of a map's key that come before the victim.
using Parts = void (*)(Charge& charge, const MapEntry& entry);
struct MapRow {
    std::string_view map;
    size_t victim;  // the part of the key
    Parts take;
};
constexpr std::array map_rows{
    MapRow{"@cpu", 2,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::cpu;
               c.number = number(e, 0);
               c.name = text(e, 1);
           }},
    MapRow{"@quota", 1,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::quota;
               c.number = number(e, 0);
           }},
    MapRow{"@memory", 1,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::memory;
               c.number = number(e, 0);
           }},
    MapRow{"@disk", 2,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::disk;
               c.device = number(e, 0);
               c.number = number(e, 1);
           }},
    MapRow{"@dirty", 1,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::dirty;
               c.number = number(e, 0);
           }},
    MapRow{"@lock", 4,
           [](Charge& c, const MapEntry& e) {
               c.kind = number(e, 0) != 0 ? Kind::memory_lock : Kind::kernel_lock;
               c.process = number(e, 1);
               c.holder_tid = number(e, 2);
               c.holder = text(e, 3);
               if (c.kind == Kind::kernel_lock) c.name = c.holder;
           }},
    MapRow{"@user_lock", 4,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::user_lock;
               c.process = number(e, 0);
               c.name = text(e, 1);
               c.holder_tid = number(e, 2);
               c.holder = text(e, 3);
           }},
    MapRow{"@file_lock", 2,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::file_lock;
               c.number = number(e, 0);
               c.name = text(e, 1);
           }},
    MapRow{"@server", 0, [](Charge& c, const MapEntry&) { c.kind = Kind::server; }},
    MapRow{"@answer_of", 2,
           [](Charge& c, const MapEntry& e) {
               constexpr uint64_t dns_port = 53;
               c.number = number(e, 1);
               c.kind = c.number == dns_port ? Kind::dns : Kind::peer;
               c.name = text(e, 0);
           }},
    MapRow{"@softirq", 1,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::softirq;
               c.number = number(e, 0);
           }},
    MapRow{"@interrupt", 1,
           [](Charge& c, const MapEntry& e) {
               c.kind = Kind::interrupt;
               c.number = number(e, 0);
           }},
};

std::string task_file(uint64_t pid, uint64_t tid, std::string_view file) {
    const Result<std::string> found = read_text(fmt::format("/proc/{}/task/{}/{}", pid, tid, file));
    return found ? *found : std::string();
}

// Key: process, thread, name; value: how often it had left a CPU when the programs began.
std::optional<Stuck> still_stuck(const MapEntry& entry) {
    Stuck stuck{number(entry, 0), number(entry, 1), text(entry, 2), {}};
    const auto* then = std::get_if<int64_t>(&entry.value.data);
    const auto state = read_task_stat(task_file(stuck.pid, stuck.tid, "stat"));
    if (!then || !state || state->state != 'D') return std::nullopt;
    const Numbers status = read_numbers(task_file(stuck.pid, stuck.tid, "status"));
    uint64_t now = 0;
    for (const char* name : {"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"})
        if (const auto count = status.find(name); count != status.end()) now += count->second;
    if (now != static_cast<uint64_t>(*then)) return std::nullopt;
    stuck.function = task_file(stuck.pid, stuck.tid, "wchan");
    if (stuck.function == "0") stuck.function.clear();
    return stuck;
}

}  // namespace

void take_maps(Evidence& evidence, const std::map<std::string, std::vector<MapEntry>, std::less<>>& maps) {
    for (const MapRow& row : map_rows) {
        const auto map = maps.find(row.map);
        if (map == maps.end()) continue;
        for (const MapEntry& entry : map->second) {
            const auto* total = std::get_if<Average>(&entry.value.data);
            if (!total || total->sum <= 0) continue;
            Charge charge;
            row.take(charge, entry);
            charge.victim = text(entry, row.victim);
            charge.count = total->count;
            charge.ns = static_cast<uint64_t>(total->sum);
            evidence.charges.push_back(std::move(charge));
        }
    }
    if (const auto map = maps.find("@stuck"); map != maps.end())
        for (const MapEntry& entry : map->second)
            if (std::optional<Stuck> stuck = still_stuck(entry)) evidence.stuck.push_back(*std::move(stuck));
}

void forget_stuck(Evidence& evidence) { evidence.stuck.clear(); }

}  // namespace lt::triage
