// Compares the data after a mark with the data before it: percentiles of distributions, means, and counts per second.
#pragma once

#include "driver/report/history.h"
#include "driver/report/trace.h"
#include "runtime/print/printer.h"

namespace lt {

// Prints a row, and a fact "diff" in JSON, for each measure of each key of each map. For a map that was cleared after
// the mark, the second period starts at the clear.
void compare(const Trace::Mark& mark, const Trace::Mark& now, Printer& printer);

// The same for two periods of one map.
void compare(const History::Period& before, const History::Period& after, Printer& printer);

}  // namespace lt
