// Hosts that differ from the others, and why.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/merge/host_map.h"

namespace lt {

// The cause that has grown the most on a host.
struct HostCause {
    std::string_view title;  // "block I/O"
    std::string_view map;    // the map that says so
    std::string text;        // how much: "69ms of each call (others 1ms)"
};

struct Outlier {
    size_t host;
    std::string_view map;
    std::string entry;  // "@ns[cat, 0]"
    std::string_view figure;
    int64_t value, others;  // others: the median of the other hosts
    std::string value_text, others_text;
    std::optional<HostCause> cause = {};  // none: nothing in the runs says it
    double times() const { return static_cast<double>(value) / static_cast<double>(others); }
};

// A host is an outlier for a key if its figure is at least `outlier_times` the median of the other hosts, and further
// from it than `outlier_spread` times the median distance of the others from their median. Compared are the p99 of
// distributions of at least 100 values, else the p50 of at least 10; averages of at least 10 values; maxima; counts of
// at least 10, and sums. The hosts of a map without the key count as 0 for counts and sums, and not at all otherwise.
constexpr int64_t outlier_times = 3, outlier_spread = 5;

// Those of all maps, the greatest first; but not of a map that gives the cause of another one.
std::vector<Outlier> find_outliers(const std::vector<HostMap>& maps);

// "web17: @ns[cat]: p99 80ms, 8 x the others (10ms); cause: ..."
std::string outlier_text(const Outlier& outlier, std::string_view host);

}  // namespace lt
