// BPF maps by descriptor, which the caller keeps open. Keys and values have the sizes of the map; a per-CPU value
// consists of possible_cpus() values, each padded to 8 bytes.
#pragma once

#include <linux/bpf.h>

#include <cstdint>

#include "runtime/os/descriptor.h"

namespace lt::bpf {

struct NewMap {
    bpf_map_type type;
    const char* name;  // up to 15 characters
    uint32_t key_size, value_size, entries;
    uint32_t flags = 0;
    int inner = -1;  // map of maps: a map like those that go into it
    int types = -1;  // from load_types(); key and value have type 1
};
// Empty if the kernel refuses; errno says why.
Descriptor create(const NewMap& map);

// 0 or a negative errno.
int lookup(int map, const void* key, void* value);
int update(int map, const void* key, const void* value, uint64_t flags = BPF_ANY);
int erase(int map, const void* key);
int freeze(int map);                                   // from now on only programs can change it
int take(int map, const void* key, void* value);       // looks up and deletes
int next_key(int map, const void* after, void* next);  // `after` null: the first key; -ENOENT: `after` is the last key
int sizes(int map, uint32_t& key_size, uint32_t& value_size);  // as created; for a per-CPU map, the size for one CPU

// Reads up to `count` entries of a hash and sets `count` to their number. `after` is null, or the position that the
// last call returned; positions are as long as a key, and at least 4 bytes. -ENOENT: these were the last; -ENOSPC: not
// enough room for one bucket; else 0 or another negative errno, with nothing taken.
enum class Batch : uint8_t { lookup, take };
int batch(Batch what, int map, const void* after, void* position, void* keys, void* values, uint32_t& count);

int possible_cpus();  // or a negative errno

}  // namespace lt::bpf
