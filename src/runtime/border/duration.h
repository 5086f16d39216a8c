// Units of durations, for single values and for the labels of histograms.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lt {

struct DurationUnit {
    uint64_t nanoseconds;
    std::string_view name;
};

// Ascending. Minutes and hours are missing because they are written in clock style.
constexpr std::array<DurationUnit, 4> duration_units = {{
    {1, "ns"},
    {1'000, "us"},
    {1'000'000, "ms"},
    {1'000'000'000, "s"},
}};

// 1530000 -> "1.53ms": three significant digits, the largest unit that fits at least once, no trailing zeros.
std::string show_duration(int64_t nanoseconds);

// The distance of the marks on an axis of time, so that there are four to eight: 1, 2 or 5 times a power of ten; 1 if
// it is too short for that.
constexpr uint64_t mark_step(uint64_t whole) {
    uint64_t step = 1;
    while (step <= whole / 80) step *= 10;
    if (step < whole / 8) step *= 2;
    if (step < whole / 8) step = step / 2 * 5;
    if (step < whole / 8) step *= 2;
    return step;
}

// The largest unit that fits at least once; for 0, the smallest.
constexpr const DurationUnit& unit_of(uint64_t nanoseconds) {
    size_t i = duration_units.size() - 1;
    while (i > 0 && duration_units[i].nanoseconds > nanoseconds) i--;
    return duration_units[i];
}

}  // namespace lt
