// The buckets of histograms: which values each holds, and in which one a percentile lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stdlib/types.h"

namespace lt {

// Of samples() by hist_log() and hist_linear().
enum class SampleHistogram : uint8_t { log, linear };

// Both ends belong to it; without one it has no end there.
struct BucketRange {
    std::optional<int64_t> least, greatest;
    bool operator==(const BucketRange&) const = default;
};

// `type` is that of the map: of hist(), lhist() or samples().
BucketRange bucket_range(const Type& type, size_t bucket);
BucketRange bucket_range(const Type& type, SampleHistogram which, size_t bucket);

// "[256ns, 512ns)", "[0]", "(..., 0)"
std::string range_text(const BucketRange& range, View view);

// The bucket with the value of rank ceil(share * count); `share` is as in PlannedPercentile. None where all are empty.
std::optional<size_t> percentile_bucket(const std::vector<uint64_t>& buckets, uint64_t share);

}  // namespace lt
