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

// The largest unit that fits at least once; for 0, the smallest.
constexpr const DurationUnit& unit_of(uint64_t nanoseconds) {
    size_t i = duration_units.size() - 1;
    while (i > 0 && duration_units[i].nanoseconds > nanoseconds) i--;
    return duration_units[i];
}

}  // namespace lt
