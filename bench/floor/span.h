// From an entry to a return of the same thread, into a histogram: the entry's time is kept with the thread. One call is
// open at most, a return without a known entry is ignored, and there is no other accounting.
#pragma once

#include "common.h"

struct {
    __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __type(key, int);
    __type(value, __u64);
} started SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct hist);
} at SEC(".maps");

static __always_inline void span_open(void) {
    __u64* start = bpf_task_storage_get(&started, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (start) *start = bpf_ktime_get_ns();
}

// `atomic`: the program can be preempted between reading a bucket and writing it.
static __always_inline void span_close(int atomic) {
    const __u64 now = bpf_ktime_get_ns();
    __u64* start = bpf_task_storage_get(&started, bpf_get_current_task_btf(), 0, 0);
    if (!start || !*start) return;
    __u32 zero = 0;
    struct hist* hist = bpf_map_lookup_elem(&at, &zero);
    if (hist) {
        __u64* slot = &hist->slots[log2(now - *start) & 63];
        if (atomic) {
            __sync_fetch_and_add(slot, 1);
        } else {
            *slot += 1;
        }
    }
    *start = 0;
}
