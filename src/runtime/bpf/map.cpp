#include "runtime/bpf/map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

namespace lt::bpf {

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

int batch(Batch what, int map, const void* after, void* position, void* keys, void* values, uint32_t& count) {
    const auto call = what == Batch::take ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch;
    return call(map, const_cast<void*>(after), position, keys, values, &count, nullptr);
}

int possible_cpus() { return libbpf_num_possible_cpus(); }

}  // namespace lt::bpf
