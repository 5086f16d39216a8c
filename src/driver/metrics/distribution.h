// A distribution of dist() as a histogram of an exposition. Only this file knows how dist() divides values into
// buckets.
#pragma once

#include <vector>

#include "driver/exposition/metrics.h"
#include "runtime/values/value.h"

namespace lt::agent {

// The bounds of the classic histogram: powers of two, which are bounds of dist() too.
std::vector<double> distribution_bounds(const Type& type, int64_t divisor);

// The native histogram has a finer schema than dist() has buckets, and each bucket's values are counted where the
// bucket's middle is: a quantile is what percentile() says, to within 0.3 %.
HistogramPoint exposed_distribution(const Distribution& distribution, const Type& type, int64_t divisor);

}  // namespace lt::agent
