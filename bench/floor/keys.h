// @[key] = count(): a hash per CPU. Slots are preallocated, so a new key costs no allocation.
#pragma once

#include "common.h"

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_HASH);
    __uint(max_entries, 4096);
    __type(key, __u32);
    __type(value, __u64);
} at SEC(".maps");

static __always_inline void count_key(__u32 key) {
    __u64* count = bpf_map_lookup_elem(&at, &key);
    if (count) {
        *count += 1;
    } else {
        __u64 one = 1;
        bpf_map_update_elem(&at, &key, &one, BPF_ANY);
    }
}
