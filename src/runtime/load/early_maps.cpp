#include "runtime/load/early_maps.h"

#include <bpf/libbpf.h>

#include "runtime/bpf/map.h"
#include "runtime/load/room.h"

namespace lt {

EarlyMaps::EarlyMaps(const Plan& plan) {
    for (const PlannedMap& map : plan.maps) {
        if (map.shape != MapShape::per_cpu_hash || (map.shrinks && !map.generation)) continue;
        const uint32_t generations = map.generation ? 2 : 1;
        const uint32_t key_size = map.key_size + (map.generation ? generation_size : 0);
        if (is_cheap(key_size, map.value_size, map.max_entries, true))
            hashes_.push_back({map.symbol, key_size, map.value_size, map.max_entries * generations});
    }
    if (hashes_.empty()) return;
    thread_ = std::jthread([this](const std::stop_token& stop) {
        for (Hash& h : hashes_) {
            if (stop.stop_requested()) return;
            h.map = bpf::create({BPF_MAP_TYPE_PERCPU_HASH, h.symbol.c_str(), h.key_size, h.value_size, h.entries});
        }
    });
}

void EarlyMaps::give_to(bpf_object* object) {
    thread_ = {};  // finishes the one that it creates
    for (Hash& each : hashes_) {
        const Hash h = std::move(each);  // closed after each: a process may have few files
        bpf_map* const map = h.map ? bpf_object__find_map_by_name(object, h.symbol.c_str()) : nullptr;
        if (map && bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_HASH && bpf_map__key_size(map) == h.key_size &&
            bpf_map__value_size(map) == h.value_size && bpf_map__max_entries(map) == h.entries &&
            bpf_map__map_flags(map) == 0)
            bpf_map__reuse_fd(map, h.map.get());
    }
    hashes_.clear();  // libbpf has descriptors of its own
}

}  // namespace lt
