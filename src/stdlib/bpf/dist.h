// The buckets of dist(): the only place that knows them. Plain C without BPF: the BPF library and C++ compile the same
// lines. runtime/border/layouts/dist_buckets.h has their bounds, computed from the same constants.
//
// Bucket number n, 0 to 1008, holds the sizes v with 2^((n - 1) / 16) < v <= 2^(n / 16): 16 buckets for each power of
// two, the upper bound included. These are the buckets of Prometheus' native histograms of schema 4, with the same
// numbers, and of OpenTelemetry's exponential histograms of scale 4, whose numbers are smaller by one. So a bucket
// array is handed over without being divided again, and merging two is addition. Many numbers below 300 have no
// integer.
//
//   LT_DIST_ZERO             zero
//   LT_DIST_ZERO + 1 + n     the values of bucket number n
//   LT_DIST_ZERO - 1 - n     the same values, negated
//
// Every signed 64-bit number has a bucket: 2^63 - 1 is in number 1008, as is 2^63, the size of the least number.
#pragma once

#include <linux/types.h>

#include "buckets.h"

#define LT_DIST_SCHEMA 4
#define LT_DIST_PER_DOUBLING (1 << LT_DIST_SCHEMA)
#define LT_DIST_LAST (63 * LT_DIST_PER_DOUBLING)
#define LT_DIST_ZERO (LT_DIST_LAST + 1)
#define LT_DIST_BUCKETS (2 * LT_DIST_ZERO + 1)

// The greatest integers that are at most 2^(63 + j / 16), for j = 0 .. 15: X(a, 2^63) X(a, ...) ...
#define LT_DIST_BOUNDS(X, a)    \
    X(a, 0x8000000000000000ull) \
    X(a, 0x85aac367cc487b14ull) \
    X(a, 0x8b95c1e3ea8bd6e6ull) \
    X(a, 0x91c3d373ab11c336ull) \
    X(a, 0x9837f0518db8a96full) \
    X(a, 0x9ef5326091a111adull) \
    X(a, 0xa5fed6a9b15138eaull) \
    X(a, 0xad583eea42a14ac6ull) \
    X(a, 0xb504f333f9de6484ull) \
    X(a, 0xbd08a39f580c36beull) \
    X(a, 0xc5672a115506daddull) \
    X(a, 0xce248c151f8480e3ull) \
    X(a, 0xd744fccad69d6af4ull) \
    X(a, 0xe0ccdeec2a94e111ull) \
    X(a, 0xeac0c6e7dd24392eull) \
    X(a, 0xf5257d152486cc2cull)

// The octave from 2^63 on in 32 cells of equal width. Neighbouring bounds differ by more than 1/32, so a cell has at
// most one. Its word has in the upper 6 bits how many bounds are below the cell, and in the lower 58 what must be added
// to a number's own lower 58 bits so that they carry into the upper ones exactly if the number exceeds the bound.
#define LT_DIST_LOW ((1ull << 58) - 1)
#define LT_DIST_BELOW(cell, bound) +((bound) < ((32ull + (cell)) << 58))
#define LT_DIST_CARRY(cell, bound) +(((bound) >> 58) == 32ull + (cell) ? LT_DIST_LOW - ((bound) & LT_DIST_LOW) : 0ull)
#define LT_DIST_CELL(cell) \
    ((0ull LT_DIST_BOUNDS(LT_DIST_BELOW, cell)) << 58 | (0ull LT_DIST_BOUNDS(LT_DIST_CARRY, cell)))
#define LT_DIST_CELLS(cell) LT_DIST_CELL(cell), LT_DIST_CELL(cell + 1), LT_DIST_CELL(cell + 2), LT_DIST_CELL(cell + 3)

static const __u64 lt_dist_cells[32] = {LT_DIST_CELLS(0),  LT_DIST_CELLS(4),  LT_DIST_CELLS(8),  LT_DIST_CELLS(12),
                                        LT_DIST_CELLS(16), LT_DIST_CELLS(20), LT_DIST_CELLS(24), LT_DIST_CELLS(28)};

// The number of the bucket of a size that is not zero. The size is shifted until its highest bit is set.
static inline __attribute__((always_inline)) __u64 lt_dist_number(__u64 size) {
    const __u32 log = lt_log2(size);
    size <<= 63 - log;
    return LT_DIST_PER_DOUBLING * (__u64)log + ((lt_dist_cells[size >> 58 & 31] + (size & LT_DIST_LOW)) >> 58);
}

static inline __attribute__((always_inline)) __u64 lt_dist_bucket(__s64 value) {
    if (value == 0) return LT_DIST_ZERO;
    const __u64 size = value < 0 ? 0 - (__u64)value : (__u64)value;
    const __u64 distance = 1 + lt_dist_number(size);
    return value < 0 ? LT_DIST_ZERO - distance : LT_DIST_ZERO + distance;
}
