// Which bucket a value falls into. Plain C that knows nothing of BPF, so that the tests on the host run the very same
// lines.
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

// Buckets of dist(), as runtime/dist_buckets.h describes them: each power of two from 16 on is cut into 16 of one
// width. With s the bits below the five highest ones, v >> s is 16 .. 31, so the 16 buckets of s begin at 16 + 16 * s;
// below 16, where s is 0, v is its own number. One comes before them all, for negative values.
#define LT_DIST_BUCKETS 961

static inline __attribute__((always_inline)) __u64 lt_dist_bucket(__s64 value) {
    __u64 v = (__u64)value;
    if (value < 0) return 0;
    __u32 s = lt_log2(v | 16) - 4;
    return 1 + 16 * (__u64)s + (v >> s);
}
