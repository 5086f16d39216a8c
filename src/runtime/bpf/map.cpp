#include "runtime/bpf/map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace lt::bpf {
namespace {

// Large enough that system calls do not matter, small enough that per-CPU histograms of many CPUs fit into memory.
constexpr uint32_t batch_entries(size_t entry_size) {
    constexpr size_t bytes = 1 << 20, fewest = 64, most = 8192;
    return static_cast<uint32_t>(std::clamp(bytes / entry_size, fewest, most));
}

}  // namespace

Descriptor create(const NewMap& map) {
    bpf_map_create_opts options{};
    options.sz = sizeof options;
    options.map_flags = map.flags;
    if (map.inner >= 0) options.inner_map_fd = static_cast<uint32_t>(map.inner);
    if (map.types >= 0) {
        options.btf_fd = static_cast<uint32_t>(map.types);
        options.btf_key_type_id = options.btf_value_type_id = 1;
    }
    return Descriptor(bpf_map_create(map.type, map.name, map.key_size, map.value_size, map.entries, &options));
}

int lookup(int map, const void* key, void* value) { return bpf_map_lookup_elem(map, key, value); }

int update(int map, const void* key, const void* value, uint64_t flags) {
    return bpf_map_update_elem(map, key, value, flags);
}

int erase(int map, const void* key) { return bpf_map_delete_elem(map, key); }

int freeze(int map) { return bpf_map_freeze(map); }

int take(int map, const void* key, void* value) { return bpf_map_lookup_and_delete_elem(map, key, value); }

int next_key(int map, const void* after, void* next) { return bpf_map_get_next_key(map, after, next); }

int sizes(int map, uint32_t& key_size, uint32_t& value_size) {
    bpf_map_info info{};
    uint32_t size = sizeof info;
    const int code = bpf_obj_get_info_by_fd(map, &info, &size);
    key_size = info.key_size;
    value_size = info.value_size;
    return code;
}

int each(Batch what, int map, size_t key_size, size_t value_size, const EachEntry& work) {
    const auto batch = what == Batch::take ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch;
    uint32_t room = batch_entries(key_size + value_size);
    std::vector<uint8_t> keys, values;
    std::vector<uint8_t> position(std::max(key_size, sizeof(uint32_t)));
    for (bool first = true;;) {
        keys.resize(room * key_size);
        values.resize(room * value_size);
        uint32_t count = room;
        const int code =
            batch(map, first ? nullptr : position.data(), position.data(), keys.data(), values.data(), &count, nullptr);
        if (code == -ENOSPC) {  // one bucket of the hash does not fit
            room *= 2;
            continue;
        }
        if (code < 0 && code != -ENOENT) return code;
        for (size_t i = 0; i < count; i++) work({&keys[i * key_size], key_size}, {&values[i * value_size], value_size});
        if (code < 0) return 0;
        first = false;
    }
}

int possible_cpus() { return libbpf_num_possible_cpus(); }

}  // namespace lt::bpf
