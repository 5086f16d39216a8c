// Shared by the hand-written programs: the helpers of libbpf, and log2 for the histograms.
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char gpl[] SEC("license") = "GPL";

struct hist {
    __u64 slots[64];
};

// The number of the highest bit that is set, 0 for 0 and 1: BPF has no instruction for it.
static __always_inline __u32 log2(__u64 value) {
    __u32 result = 0, shift;
    shift = (value > 0xffffffff) << 5, value >>= shift, result |= shift;
    shift = (value > 0xffff) << 4, value >>= shift, result |= shift;
    shift = (value > 0xff) << 3, value >>= shift, result |= shift;
    shift = (value > 0xf) << 2, value >>= shift, result |= shift;
    shift = (value > 0x3) << 1, value >>= shift, result |= shift;
    return result | (value >> 1);
}
