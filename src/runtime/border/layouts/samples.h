// The layout of what samples() collects, in words: [0] number of values, [1] their sum, then only what the program
// reads from the map.
#pragma once

#include <cstdint>

#include "stdlib/types.h"

namespace lt {

// Bits of the first number of Shape::buckets; the others are the least, greatest and step of hist_linear().
constexpr int64_t samples_extremes = 1;
constexpr int64_t samples_squares = 2;
constexpr int64_t samples_log = 4;
constexpr int64_t samples_linear = 8;

// hist_log(): [64] is zero, [64 + k] holds k-bit values, [64 - k] negative ones.
constexpr uint32_t log_buckets = 128;
constexpr uint32_t log_zero = 64;

constexpr uint32_t most_linear_buckets = 128;

// Offsets in words; 0: not collected.
struct SamplesLayout {
    uint32_t extremes = 0;  // orders of the least and greatest, as for min() and max() of signed values
    uint32_t squares = 0;   // the sum of squares, 128 bits
    uint32_t log = 0;       // buckets
    uint32_t linear = 0;    // buckets: below the least, one per step up to the greatest, above
    uint32_t linear_count = 0;
    uint32_t words = 2;
};
SamplesLayout samples_layout(const Type& type);

// Of `count` values with this sum and sum of squares (128 bits); 0 for fewer than two.
uint64_t sample_variance(uint64_t count, int64_t sum, uint64_t squares_low, uint64_t squares_high);

// The lower bound of a bucket of hist_log(); for negative ones, the bound nearer to zero.
constexpr int64_t log_bound(uint32_t bucket) {
    if (bucket == log_zero) return 0;
    if (bucket < log_zero) return INT64_MIN >> bucket;
    return int64_t{1} << (bucket - log_zero - 1);
}

}  // namespace lt
