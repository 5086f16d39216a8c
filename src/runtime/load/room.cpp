#include "runtime/load/room.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "stdlib/settings.h"

namespace lt {
namespace {

// The memory in bytes for all maps with more keys than the default.
uint64_t room_for_large_maps() {
    constexpr uint64_t most = 512 << 20;
    const auto system_value = [](int name) { return static_cast<uint64_t>(std::max(sysconf(name), 0L)); };
    return std::min(system_value(_SC_AVPHYS_PAGES) * system_value(_SC_PAGESIZE) / 4, most);
}

uint64_t size_of_element(uint32_t key_size, uint32_t value_size, bool per_cpu) {
    constexpr uint64_t header = 48;
    const auto padded = [](uint64_t size) { return (size + 7) / 8 * 8; };
    const auto cpus = static_cast<uint64_t>(std::max(libbpf_num_possible_cpus(), 1));
    return header + padded(key_size) + padded(value_size) * (per_cpu ? cpus : 1);
}

}  // namespace

bool is_cheap(uint32_t key_size, uint32_t value_size, uint32_t entries, bool per_cpu) {
    constexpr uint64_t cheap = 8 << 20;  // bytes per map, on all CPUs
    return entries * size_of_element(key_size, value_size, per_cpu) <= cheap;
}

void make_room(bpf_object* object, const Plan& plan, bool all) {
    const auto generations = [&](std::string_view name) {
        const auto fits = [&](const PlannedMap& planned) { return planned.generation && planned.symbol == name; };
        return std::ranges::any_of(plan.maps, fits) ? 2U : 1U;
    };
    uint64_t room = room_for_large_maps();
    bpf_map* map = nullptr;
    bpf_object__for_each_map(map, object) {
        const bool per_cpu = bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_HASH;
        if (!per_cpu && bpf_map__type(map) != BPF_MAP_TYPE_HASH) continue;
        const uint32_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
        const uint32_t all_entries = bpf_map__max_entries(map), entries = all_entries / generations(bpf_map__name(map));
        const uint64_t size = all_entries * size_of_element(key_size, value_size, per_cpu);
        const bool cheap = is_cheap(key_size, value_size, entries, per_cpu);
        const bool user_sized = entries > Settings{}.max_map_keys;
        if (!cheap && ((!user_sized && !all) || size > room)) continue;
        if (!cheap) room -= size;
        bpf_map__set_map_flags(map, bpf_map__map_flags(map) & ~uint32_t{BPF_F_NO_PREALLOC});
    }
}

}  // namespace lt
