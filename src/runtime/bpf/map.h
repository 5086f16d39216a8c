// BPF maps by descriptor, which the caller keeps open. Keys and values have the sizes of the map; a per-CPU value
// consists of possible_cpus() values, each padded to 8 bytes.
#pragma once

#include <linux/bpf.h>

#include <cstdint>
#include <functional>
#include <span>

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

// Hands each entry of a hash to `work`; `take` also deletes them. If the map changes meanwhile, an entry may be missed
// or come twice. An unsupported call is refused before anything is taken.
enum class Batch : uint8_t { lookup, take };
using EachEntry = std::function<void(std::span<const uint8_t> key, std::span<const uint8_t> value)>;
int each(Batch what, int map, size_t key_size, size_t value_size, const EachEntry& work);

int possible_cpus();  // or a negative errno

}  // namespace lt::bpf
