// Histograms as text: one row per bucket from the first to the last that is not empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

uint64_t total(const Histogram& histogram);

// The bucket of a value, as in the BPF library.
uint32_t hist_index(int64_t value, View view);

// Which of its bounds a bucket includes: those of hist() the lower one, those that are made of dist() the upper one.
// These begin as hist()'s do, with negative values, zero and 1; then [2 + k] from above bound k - 1 up to bound k.
enum class Bounds : uint8_t { lower, upper };

// The bucket of a value in a histogram that is made of dist().
uint32_t bar_index(int64_t value, View view);

// The lower bound of a bucket of hist() with bits.
int64_t fine_bound(size_t bucket, int64_t bits);

// A row of a histogram.
struct Bar {
    std::string label;  // the range of values: "[1us, 2us)"
    uint64_t count;
};

// `view` is that of the values collected; it decides the bounds, `plain` only how they are written. If there would be
// more than `most` rows, besides those of zero and of negative values, each row covers 2, 5 or 10 neighbouring buckets:
// ten doublings lead from one unit to the next, so rows still begin at whole
// units.
std::vector<Bar> bars_of(const Histogram& histogram, View view, bool plain, size_t most = hist_buckets,
                         Bounds bounds = Bounds::lower);

// The same by the map's type, which gives the buckets of lhist() and of hist() with bits.
std::vector<Bar> bars_of(const Histogram& histogram, const Type& type, bool plain);

void append_bars(std::string& out, const std::vector<Bar>& bars);

}  // namespace lt
