// The buckets of dist(): log-linear, as in HDR histograms (Gil Tene's HdrHistogram; circllhist and DDSketch are kin).
// Each power of two is cut into 16 buckets of one width, so a bucket is narrow in proportion to its values and there
// are only 961 for all that 63 bits can say.
//
//   bucket 0              all negative values
//   bucket 1 + v          v itself, for v below 32
//   1 + 16 s + m          [m << s, (m + 1) << s), for m = 16 .. 31 and s = 1 .. 58
//
// The bound. A bucket with s > 0 is 2^s wide and all its values are at least 16 * 2^s. Its midpoint is no farther than
// 2^s / 2 from any of them, so the relative error is at most (2^s / 2) / (16 * 2^s) = 1/32, or 3.2 %. With s = 0 it is
// exact. Clamped to the exact minimum and maximum, the midpoint only gets nearer to values that lie between them. A
// quantile is one of the values, the one of its rank; its bucket is known exactly, so the bound holds for quantiles
// too. It does not hold for negative values, which share a bucket.
#pragma once

#include <cstdint>

namespace lt {

constexpr uint32_t dist_buckets = 961;
constexpr uint32_t dist_header = 4;  // words before the buckets: count, sum, least, greatest
constexpr uint32_t dist_words = dist_header + dist_buckets;

// The lowest value of a bucket that is not that of negative values, and how many there are in it.
struct DistBucket {
    uint64_t low = 0;
    uint64_t width = 1;
    constexpr uint64_t middle() const { return low + width / 2; }
};

constexpr DistBucket dist_bucket(uint32_t index) {
    const uint32_t number = index - 1;
    if (number < 32) return {number, 1};
    const uint32_t s = number / 16 - 1;
    return {uint64_t{16 + number % 16} << s, uint64_t{1} << s};
}

}  // namespace lt
