// The order in which every printer prints a map: by value (histograms by the number of their values, distributions
// and statistics by their total, strings and stacks not at all), ties by key.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

// Indices of the entries; only the largest ones if the map's content asks for that. `plain`: as bpftrace, statistics by
// their average.
std::vector<size_t> print_order(const MapContent& content, bool plain = false);

// Indices of all entries in the order of their keys.
std::vector<size_t> key_order(const MapContent& content);

}  // namespace lt
