// The buckets of dist(): log-linear, as in HDR histograms (Gil Tene's HdrHistogram; circllhist and DDSketch are
// related). Each power of two is cut into 16 buckets of equal width, so a bucket's width is proportional to its values,
// and 960 buckets cover all 63-bit values. Negative values have the same buckets, mirrored.
//
//   dist_zero + v             v itself, for v below 32
//   dist_zero + 16 s + m      [m << s, (m + 1) << s), for m = 16 .. 31 and s = 1 .. 58
// dist_zero - i             the values of bucket dist_zero + i, negated; 0: the least integer alone
//
// Values that cannot be negative, such as latencies, have no buckets below dist_zero - 1.
//
// Error bound: a bucket with s > 0 is 2^s wide, and all its values are at least 16 * 2^s in size. Its midpoint is at
// most 2^s / 2 away from any of them, so the relative error is at most (2^s / 2) / (16 * 2^s) = 1/32, or 3.2 %. With s
// = 0 it is exact. Clamping to the exact minimum and maximum only brings the midpoint nearer to the values. A quantile
// is the value of a certain rank, whose bucket is known exactly, so the bound holds for quantiles too.
#pragma once

#include <cstdint>
#include <limits>

namespace lt {

constexpr uint32_t dist_buckets = 1920;
constexpr uint32_t dist_zero = 960;  // the bucket of zero
constexpr uint32_t dist_header = 4;  // words before the buckets: count, sum, least, greatest

// In a map: the number of buckets, and the index of the first one.
constexpr uint32_t dist_first(bool negative) { return negative ? 0 : dist_zero - 1; }
constexpr uint32_t dist_words(bool negative) { return dist_header + dist_buckets - dist_first(negative); }

// The least value of a bucket, and its width.
struct DistBucket {
    int64_t low = 0;
    uint64_t width = 1;
    // As far from zero as the middle of the mirrored bucket.
    constexpr int64_t middle() const { return low + static_cast<int64_t>(low < 0 ? width - 1 - width / 2 : width / 2); }
    constexpr int64_t high() const { return low + static_cast<int64_t>(width - 1); }
};

constexpr DistBucket dist_bucket(uint32_t index) {
    if (index == 0) return {std::numeric_limits<int64_t>::min(), 1};
    const uint32_t number = index < dist_zero ? dist_zero - index : index - dist_zero;
    const uint32_t s = number < 32 ? 0 : number / 16 - 1;
    const int64_t low = s == 0 ? int64_t{number} : int64_t{16 + number % 16} << s;
    const uint64_t width = uint64_t{1} << s;
    return {index < dist_zero ? -(low + static_cast<int64_t>(width - 1)) : low, width};
}

}  // namespace lt
