// Logarithms for buckets. Plain C without BPF, so that tests on the host run the same lines.
#pragma once

#include <linux/types.h>

// In the product of 2^(k+1) - 1 and this number the highest six bits differ for each k from 0 to 63: they are the place
// of k.
#define LT_LOG2_FACTOR 0x03f6eaf2cd271461ull
static const __u8 lt_log2_places[64] = {0,  58, 1,  59, 47, 53, 2,  60, 39, 48, 27, 54, 33, 42, 3,  61,
                                        51, 37, 40, 49, 18, 28, 20, 55, 30, 34, 11, 43, 14, 22, 4,  62,
                                        57, 46, 52, 38, 26, 32, 41, 50, 36, 17, 19, 29, 10, 13, 21, 56,
                                        45, 25, 31, 35, 16, 9,  12, 44, 24, 15, 8,  23, 7,  6,  5,  63};

// The position of the highest bit, 0 for 0; there is no instruction for it. Comparisons, one for each half, have 64
// paths, and the verifier follows each to the end of the program. LLVM would ask of each bit of the result from which
// bits of v it can come, and ask for each `|` twice; an instruction of no effect that hides v (lt_opaque) ends the
// search.
#define LT_HIDE(v) __asm__("" : "+r"(v))
static inline __attribute__((always_inline)) __u32 lt_log2(__u64 v) {
    v |= v >> 1;
    v |= v >> 2;
    LT_HIDE(v);
    v |= v >> 4;
    v |= v >> 8;
    LT_HIDE(v);
    v |= v >> 16;
    v |= v >> 32;
    LT_HIDE(v);
    return lt_log2_places[v * LT_LOG2_FACTOR >> 58];
}
