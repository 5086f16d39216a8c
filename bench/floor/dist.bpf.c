// @ = dist(args.ret) with log-linear buckets: 16 of equal width for each power of two, as HDR histograms have them.
// Their index needs no table; lt's exponential ones do. Count, sum and extremes as in lt.
#include "common.h"

struct dist {
    __u64 count, sum, least, greatest;
    __u64 slots[960];
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct dist);
} at SEC(".maps");

// syscalls/sys_exit_getppid/format
struct sys_exit {
    __u64 common;
    long number;
    long ret;
};

SEC("tracepoint/syscalls/sys_exit_getppid")
int leave(struct sys_exit* context) {
    __u32 zero = 0;
    struct dist* dist = bpf_map_lookup_elem(&at, &zero);
    if (!dist) return 0;
    const __u64 value = context->ret;
    if (~value > dist->least) dist->least = ~value;
    if (value > dist->greatest) dist->greatest = value;
    const __u32 shift = log2(value | 16) - 4;
    __u64 slot = 16 * (__u64)shift + (value >> shift);
    __asm__ volatile("" : "+r"(slot));
    if (slot < 960) dist->slots[slot] += 1;
    dist->sum += value;
    dist->count += 1;
    return 0;
}
