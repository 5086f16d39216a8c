// The units of durations, shared by single values and by the labels of histograms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lt {

struct DurationUnit {
    uint64_t nanoseconds;
    std::string_view name;
};

// Ascending; minutes and hours are written as on a clock, so they are none of these.
constexpr std::array<DurationUnit, 4> duration_units = {{
    {1, "ns"},
    {1'000, "us"},
    {1'000'000, "ms"},
    {1'000'000'000, "s"},
}};

// The largest of which there is at least one; of nothing, the smallest.
constexpr const DurationUnit& unit_of(uint64_t nanoseconds) {
    size_t i = duration_units.size() - 1;
    while (i > 0 && duration_units[i].nanoseconds > nanoseconds) i--;
    return duration_units[i];
}

}  // namespace lt
