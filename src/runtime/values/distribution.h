// Percentiles and histograms of distributions, and merging two of them.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/values/value.h"

namespace lt {

// Exact: as if the values of both had been collected in one. Used for keys, CPUs and windows of time.
void merge(Distribution& into, const Distribution& from);

// The value of rank ceil(share * count), by the midpoint of its bucket: within 1/32 of the exact one (see
// runtime/border/dist_buckets.h). The first and the last rank are the minimum and the maximum, exactly. `share` is as
// in PlannedPercentile.
std::optional<int64_t> percentile(const Distribution& distribution, uint64_t share);

// The histogram that hist() would have made of the same values. A bucket that crosses a bound of a histogram of
// durations counts entirely on the side of its midpoint; powers of two cross no bucket.
Histogram histogram_of(const Distribution& distribution, View view);

}  // namespace lt
