// The buckets of histograms: the range of values of each, and the bucket of a percentile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stdlib/types.h"

namespace lt {

// For samples(), by hist_log() and hist_linear().
enum class SampleHistogram : uint8_t { log, linear };

// Inclusive; a missing end is unbounded.
struct BucketRange {
    std::optional<int64_t> least, greatest;
    bool operator==(const BucketRange&) const = default;
};

// `type` is that of the map: of hist(), lhist() or samples().
BucketRange bucket_range(const Type& type, size_t bucket);
BucketRange bucket_range(const Type& type, SampleHistogram which, size_t bucket);

// Is it the last bucket of unsigned values? It begins at 2^63, where `least` is the greatest number that it can hold.
bool begins_beyond_signed(const BucketRange& range);

// The least value of a bucket that has one, as a number.
std::string least_text(const BucketRange& range);

// "[256ns, 512ns)", "[0]", "(..., 0)"
std::string range_text(const BucketRange& range, View view);

// The bucket with the value of rank ceil(share * count); `share` is as in PlannedPercentile. None if all are empty.
std::optional<size_t> percentile_bucket(const std::vector<uint64_t>& buckets, uint64_t share);

}  // namespace lt
