// Histograms as text: one row per bucket from the first to the last that is not empty.
#pragma once

#include <string>

#include "runtime/value.h"

namespace lt {

uint64_t total(const Histogram& histogram);

// `view` is that of the values collected; it decides the bounds, `plain` only how they are written.
void append_histogram(std::string& out, const Histogram& histogram, View view, bool plain);

}  // namespace lt
