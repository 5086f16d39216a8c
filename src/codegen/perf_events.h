// What the name of an event that is counted means to the kernel.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"
#include "stdlib/counters.h"
#include "stdlib/probes.h"

namespace lt {

// The events of a table, by the kind of probe: software or hardware.
std::span<const CounterRow> counters_of(ProbeKind kind);

// The first that knows the name: the table, and of hardware: caches, rHEX, TYPE/CONFIG, SOURCE/TERMS/, and EVENT of any
// source.
Result<PerfEvent> perf_event_named(Kernel& kernel, ProbeKind kind, const std::string& name);

}  // namespace lt
