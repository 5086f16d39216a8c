// A map in a period: the difference between what a map held at its end and at its beginning.
#pragma once

#include <optional>

#include "runtime/values/value.h"

namespace lt {

// For sums and counts the difference has a meaning; other numbers, and extremes, only have a current value.
bool adds_up(const Type& type);

// None if the value has no differences, or if it has shrunk, because the map was cleared in between. The extremes of a
// distribution are known by their bucket, unless they are new.
std::optional<Data> collected_since(const Value& now, const Value& then);

}  // namespace lt
