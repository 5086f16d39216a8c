// Merges what the CPUs have collected by tseries().
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/border/layouts/series.h"
#include "runtime/values/value.h"

namespace lt {

// An interval in memory (runtime/border/layouts/series.h).
struct SeriesPlace {
    uint64_t number = 0, value = 0, more = 0;
    bool empty() const { return number == 0 || number == series_busy || more == 0; }
};

// Merges the same point of two CPUs: the later interval wins; for the same interval, both values are combined.
// False if that is a sum that does not fit into 64 bits, with or without a sign.
bool join(SeriesPlace& into, const SeriesPlace& one, SeriesOf of, bool is_signed);

// Of the last `count` intervals, those from the first with a value to the last with one.
Series series_of(std::vector<SeriesPlace> places, const Type& type);

}  // namespace lt
