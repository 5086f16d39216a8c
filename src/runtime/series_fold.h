// Puts together what the CPUs have collected by tseries(), and draws it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/series.h"
#include "runtime/value.h"

namespace lt {

// An interval as it lies in memory (runtime/series.h).
struct SeriesPlace {
    uint64_t number = 0, value = 0, more = 0;
    bool empty() const { return number == 0 || number == series_busy || more == 0; }
};

// What two CPUs have in the same place: the later interval; of the same one, what both have collected.
void join(SeriesPlace& into, const SeriesPlace& one, SeriesOf of);

// From the first interval with a value, of the last `count`, to the last one.
Series series_of(std::vector<SeriesPlace> places, const Type& type);

// As lines, one for each interval.
void append_series(std::string& out, const Series& series, const Type& type, bool plain);

// "2026-11-22T14:03:05.000123000", in the local time zone.
std::string interval_time(uint64_t begin);

}  // namespace lt
