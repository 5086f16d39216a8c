// Computes figures from a distribution.
#include "runtime/values/distribution.h"

#include <algorithm>
#include <numeric>

#include "runtime/values/hist.h"

namespace lt {
namespace {

// The number of values in the buckets; while a program counts, the field `count` can differ from it.
uint64_t in_buckets(const Distribution& d) { return std::accumulate(d.buckets.begin(), d.buckets.end(), uint64_t{0}); }

// An update that lost a race can leave one value outside; then the extremes are not reliable.
int64_t between_extremes(const Distribution& d, int64_t value) {
    return d.least <= d.greatest ? std::clamp(value, d.least, d.greatest) : value;
}

// The value that represents a bucket.
int64_t value_of(const Distribution& d, uint32_t bucket) { return between_extremes(d, dist_bucket(bucket).middle); }

// ceil(count * share / whole), at least 1, without a product that could overflow.
uint64_t rank_of(uint64_t count, uint64_t share) {
    const uint64_t rest = count % whole_share * share;
    const uint64_t rank = count / whole_share * share + (rest + whole_share - 1) / whole_share;
    return std::max<uint64_t>(rank, 1);
}

}  // namespace

void merge(Distribution& into, const Distribution& from) {
    into.count += from.count;
    into.sum = static_cast<int64_t>(static_cast<uint64_t>(into.sum) + static_cast<uint64_t>(from.sum));
    into.least = std::min(into.least, from.least);
    into.greatest = std::max(into.greatest, from.greatest);
    for (uint32_t i = 0; i < dist_buckets; i++) into.buckets[i] += from.buckets[i];
}

std::optional<int64_t> percentile(const Distribution& d, uint64_t share) {
    const uint64_t count = in_buckets(d);
    if (count == 0) return {};
    const uint64_t rank = rank_of(count, share);
    if (d.least <= d.greatest && rank == 1) return d.least;
    if (d.least <= d.greatest && rank >= count) return d.greatest;
    uint32_t bucket = 0;
    for (uint64_t seen = d.buckets[0]; seen < rank && bucket + 1 < dist_buckets; seen += d.buckets[bucket]) bucket++;
    return value_of(d, bucket);
}

Histogram histogram_of(const Distribution& d, View view) {
    Histogram out{std::vector<uint64_t>(hist_buckets)};
    for (uint32_t i = 0; i < dist_buckets; i++) {
        if (d.buckets[i] != 0) out.buckets[bar_index(value_of(d, i), view)] += d.buckets[i];
    }
    return out;
}

}  // namespace lt
