// Distributions as text: a line of figures under a line of their names, then bars.
#pragma once

#include <string>

#include "runtime/value.h"

namespace lt {

void append_distribution(std::string& out, const Distribution& distribution, View view, bool plain);

// The histogram that hist() would have made of the same values. A bucket of ours that a bound of a histogram of
// durations cuts through goes whole to the side of its midpoint; powers of two cut through none.
Histogram histogram_of(const Distribution& distribution, View view);

}  // namespace lt
