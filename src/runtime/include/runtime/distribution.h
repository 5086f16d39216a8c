// What can be asked of a distribution, and how two become one.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/value.h"

namespace lt {

// Exact: as if the values of both had been collected in one. Of keys, CPUs, windows of time.
void merge(Distribution& into, const Distribution& from);

// The value of rank ceil(share * count), by the midpoint of its bucket: within 1/32 of the exact one unless that is
// negative (see runtime/dist_buckets.h). The first and the last rank are the minimum and the maximum, exactly. `share`
// is as in PlannedPercentile.
std::optional<int64_t> percentile(const Distribution& distribution, uint64_t share);

}  // namespace lt
