// Names of perf events.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
#include "stdlib/counters.h"
#include "stdlib/probes.h"

namespace lt {

// The table of events for a kind of probe: software or hardware.
std::span<const CounterRow> counters_of(ProbeKind kind);

// Looks up the name in the table. Hardware events can also be caches, rHEX, TYPE/CONFIG, SOURCE/TERMS/, and EVENT of
// any source, tried in this order.
Result<PerfEvent> perf_event_named(Kernel& kernel, ProbeKind kind, const std::string& name);

}  // namespace lt
