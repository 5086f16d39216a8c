// The order in which every printer prints a map: by value (histograms and distributions by total, strings and stacks
// not at all), ties by key.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

// Indices of the entries; only the largest ones if the map's content asks for that.
std::vector<size_t> print_order(const MapContent& content);

// Indices of all entries in the order of their keys.
std::vector<size_t> key_order(const MapContent& content);

}  // namespace lt
