// The times at which a span opens and closes. With `why`, the account of the thread's time is read at the same moment,
// so that its parts add up to the latency.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// The time; `opening` receives the sums so far.
ir::Value opening_time(Lowering& l, ir::Value opening);
// The time; makes the value of `why`, which explain() completes.
ir::Value closing_time(Lowering& l);
// Once the opening is known.
void explain(Lowering& l, ir::Value opening);

// Adds the longest wait since `opened`, if the script asks for it.
void report_longest_wait(Lowering& l, ir::Value opened);

}  // namespace lt
