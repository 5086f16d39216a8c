// The bucket of a value. Plain C without BPF, so that tests on the host run the same lines.
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

// Buckets of dist(), as runtime/border/dist_buckets.h describes them: each power of two from 16 on is split into 16
// buckets of equal width. With s the number of bits below the five highest ones of the size, size >> s is 16 .. 31, so
// the 16 buckets of s begin at 16 + 16 * s; below 16, where s is 0, the size is its own number. The buckets of negative
// values come before that of zero.
#define LT_DIST_BUCKETS 1920
#define LT_DIST_ZERO 960

static inline __attribute__((always_inline)) __u64 lt_dist_bucket(__s64 value) {
    __u64 size = value < 0 ? 0 - (__u64)value : (__u64)value;
    __u32 s = lt_log2(size | 16) - 4;
    __u64 number = 16 * (__u64)s + (size >> s);
    return value < 0 ? LT_DIST_ZERO - number : LT_DIST_ZERO + number;
}
