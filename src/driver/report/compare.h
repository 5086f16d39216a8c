// Compares the data after a mark with the data before it: percentiles of distributions, means, and counts per second.
#pragma once

#include <optional>
#include <string>

#include "driver/report/trace.h"
#include "runtime/print/printer.h"

namespace lt {

// Prints a row, and a fact "diff" in JSON, for each measure of each key of each map. For a map that was cleared after
// the mark, the second period starts at the clear.
void compare(const Trace::Mark& mark, const Trace::Mark& now, Printer& printer);

// The same for two periods of one map, or two runs. Without a time, counts are not per second.
struct Compared {
    std::string title;  // of the column
    const MapContent& content;
    std::optional<double> seconds;
};
void compare(const Compared& before, const Compared& after, Printer& printer);

// How a number has changed, in percent of its size before, which is not 0: "+12%".
std::string change_in_percent(double before, double after);

// Says how many events sampling has left out of each of two periods of a map; nothing if none.
void tell_sampled(const std::string& map, const std::optional<Sampled>& before, const std::optional<Sampled>& after,
                  Printer& printer);

}  // namespace lt
