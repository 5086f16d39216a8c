// Percentiles and histograms of distributions, and merging two of them.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/values/value.h"

namespace lt {

// Exact: as if the values of both had been collected in one. Used for keys, CPUs and windows of time.
void merge(Distribution& into, const Distribution& from);

// The value of rank ceil(share * count), by the middle of its bucket: within 2.2 % of the exact one, rounded
// (see runtime/border/layouts/dist_buckets.h). The first and the last rank are the minimum and the maximum, exactly.
// `share` is as in PlannedPercentile.
std::optional<int64_t> percentile(const Distribution& distribution, uint64_t share);

// A histogram by powers of two, or by the bounds of durations, that include the upper bound of each bucket, as those of
// the distribution do: see Bounds in hist.h. A bucket that crosses a bound of durations counts entirely on the side of
// its middle; powers of two cross no bucket.
Histogram histogram_of(const Distribution& distribution, View view);

}  // namespace lt
