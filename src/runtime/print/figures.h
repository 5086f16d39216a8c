// The aggregations that take several lines of text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/values/buckets.h"
#include "runtime/values/hist.h"
#include "runtime/values/value.h"

namespace lt {

// Of a distribution: "p99", "1.53ms".
struct Figure {
    std::string name;
    std::string text;
};
std::vector<Figure> figures_of(const Distribution& distribution, View view, bool plain);
std::vector<Bar> bars_of(const Distribution& distribution, View view, bool plain);

// A line of names, a line of figures, then bars.
void append_distribution(std::string& out, const Distribution& distribution, View view, bool plain);

// In SystemTap's form: a row for each bucket with its lower bound; long runs of empty ones are skipped.
std::string histogram_text(const Samples& samples, const Type& type, SampleHistogram which);

// tseries(): one line for each interval.
void append_series(std::string& out, const Series& series, const Type& type, bool plain);
// "2026-11-22T14:03:05.000123000", in the local time zone.
std::string interval_time(uint64_t begin);

}  // namespace lt
