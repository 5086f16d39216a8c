// A histogram of samples() as text, in the form of SystemTap: a row for each bucket with its lower bound, long runs of
// empty ones left out.
#pragma once

#include <string>

#include "runtime/buckets.h"
#include "runtime/plan.h"
#include "runtime/value.h"

namespace lt {

std::string histogram_text(const Samples& samples, const Type& type, SampleHistogram which);

}  // namespace lt
