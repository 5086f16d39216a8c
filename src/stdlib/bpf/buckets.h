// Logarithms for buckets. Plain C without BPF, so that tests on the host run the same lines.
#pragma once

#include <linux/types.h>

// Position of the highest bit; there is no instruction for it.
static inline __attribute__((always_inline)) __u32 lt_log2(__u64 v) {
    __u32 k = 0;
    if (v >> 32) {
        v >>= 32;
        k += 32;
    }
    if (v >> 16) {
        v >>= 16;
        k += 16;
    }
    if (v >> 8) {
        v >>= 8;
        k += 8;
    }
    if (v >> 4) {
        v >>= 4;
        k += 4;
    }
    if (v >> 2) {
        v >>= 2;
        k += 2;
    }
    if (v >> 1) k += 1;
    return k;
}
