// The bounds of the buckets of dist(), which stdlib/bpf/dist.h describes.
//
// Error bound: the middle of a bucket is 2 / (1 + b) times its upper bound, with b = 2^(1/16), as in DDSketch. It
// differs from every value of the bucket by at most (b - 1) / (b + 1) of that value, or 2.17 %, and by less than 1/2
// more because it is rounded to an integer. Sizes of up to 26 have buckets of their own, so they are exact. Clamping to
// the exact minimum and maximum only brings the middle nearer to the values. A quantile is the value of a certain rank,
// whose bucket is known exactly, so the bound holds for quantiles too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "stdlib/bpf/dist.h"

namespace lt {

constexpr int dist_schema = LT_DIST_SCHEMA;
constexpr uint32_t dist_buckets = LT_DIST_BUCKETS;
constexpr uint32_t dist_zero = LT_DIST_ZERO;  // the bucket of zero
constexpr uint32_t dist_header = 4;           // words before the buckets: count, sum, least, greatest

// In a map: the number of buckets, and the index of the first one. Values that cannot be negative, such as latencies,
// have no buckets below dist_zero - 1; a negative one among them would be counted there.
constexpr uint32_t dist_first(bool negative) { return negative ? 0 : dist_zero - 1; }
constexpr uint32_t dist_words(bool negative) { return dist_header + dist_buckets - dist_first(negative); }

// floor(2^(63 + j / 16)) for j = 0 .. 15
#define LT_DIST_ONE(unused, bound) bound,
inline constexpr std::array<uint64_t, LT_DIST_PER_DOUBLING> dist_bounds{LT_DIST_BOUNDS(LT_DIST_ONE, )};
#undef LT_DIST_ONE

// The greatest integer in bucket number `number`, floor(2^(number / 16)).
constexpr uint64_t dist_bound(uint32_t number) {
    return dist_bounds[number % LT_DIST_PER_DOUBLING] >> (63 - number / LT_DIST_PER_DOUBLING);
}

// 2 / (1 + 2^(1/16)) of 2^(number / 16), rounded.
constexpr uint64_t dist_middle(uint32_t number) {
    constexpr __uint128_t share = 0xfa74a81398318b67;  // in units of 2^-64
    const auto scaled = static_cast<uint64_t>(dist_bounds[number % LT_DIST_PER_DOUBLING] * share >> 64);
    const uint32_t shift = 63 - number / LT_DIST_PER_DOUBLING;
    return shift == 0 ? scaled : ((scaled >> (shift - 1)) + 1) >> 1;
}

// The values of a bucket: `low` to `high`. A bucket without an integer has a `low` above its `high`.
struct DistBucket {
    int64_t low = 0, high = 0;
    int64_t middle = 0;  // represents all of them; for both signs as far from zero
    constexpr bool empty() const { return low > high; }
};

constexpr DistBucket dist_bucket(uint32_t index) {
    if (index == dist_zero) return {};
    const bool negative = index < dist_zero;
    const uint32_t number = negative ? dist_zero - 1 - index : index - dist_zero - 1;
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    const uint64_t low = number == 0 ? 1 : dist_bound(number - 1) + 1;
    const uint64_t high = std::min(dist_bound(number), negative ? most + 1 : most);
    const uint64_t middle = std::clamp(dist_middle(number), std::min(low, high), high);
    if (!negative) return {static_cast<int64_t>(low), static_cast<int64_t>(high), static_cast<int64_t>(middle)};
    return {static_cast<int64_t>(0 - high), static_cast<int64_t>(0 - low), static_cast<int64_t>(0 - middle)};
}

}  // namespace lt
