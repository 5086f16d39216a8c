// What came after a mark beside what came before it: percentiles of distributions, means, and counts per second.
#pragma once

#include "runtime/printer.h"
#include "trace.h"

namespace lt {

// A row, and a fact "diff" in JSON, for each measure of each key of each map. A map that was cleared after the mark
// counts from then on.
void compare(const Trace::Mark& mark, const Trace::Mark& now, Printer& printer);

}  // namespace lt
