// The order in which every printer shows a map: by value (histograms and distributions by total, strings and stacks not
// at all), ties by key.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/value.h"

namespace lt {

// Indices of the entries; where only the largest are wanted, of those.
std::vector<size_t> print_order(const MapContent& content);

}  // namespace lt
