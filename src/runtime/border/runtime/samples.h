// How what samples() collects lies in memory, in words: [0] how many values, [1] their sum, then only what is asked of
// the map somewhere in the program.
#pragma once

#include <cstdint>

#include "stdlib/types.h"

namespace lt {

// Bits of the first number of Shape::buckets; the others are least, most and step of hist_linear().
constexpr int64_t samples_extremes = 1;
constexpr int64_t samples_squares = 2;
constexpr int64_t samples_log = 4;
constexpr int64_t samples_linear = 8;

// hist_log(): [64] is zero, [64 + k] holds the values of k bits, [64 - k] the negative ones.
constexpr uint32_t log_buckets = 128;
constexpr uint32_t log_zero = 64;

constexpr uint32_t most_linear_buckets = 128;

// Where each begins, in words; 0: it is not collected.
struct SamplesLayout {
    uint32_t extremes = 0;  // orders of the least and the greatest, as of min() and max() of signed values
    uint32_t squares = 0;   // the sum of squares, 128 bits
    uint32_t log = 0;       // buckets
    uint32_t linear = 0;    // buckets: below least, one for each step up to that which begins at most, above
    uint32_t linear_count = 0;
    uint32_t words = 2;
};
SamplesLayout samples_layout(const Type& type);

// Of so many values with this sum and sum of squares (128 bits); 0 of less than two.
uint64_t sample_variance(uint64_t count, int64_t sum, uint64_t squares_low, uint64_t squares_high);

// The lower bound of a bucket of hist_log(): of negative ones that nearer to zero.
constexpr int64_t log_bound(uint32_t bucket) {
    if (bucket == log_zero) return 0;
    if (bucket < log_zero) return INT64_MIN >> bucket;
    return int64_t{1} << (bucket - log_zero - 1);
}

}  // namespace lt
