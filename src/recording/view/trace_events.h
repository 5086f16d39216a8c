// A recording in the trace event format that ui.perfetto.dev and Chrome open: JSON, times in microseconds.
#pragma once

#include <string>

#include "recording/explain.h"

namespace lt {

std::string trace_events(const Recording& recording, const Explainer& explainer);

}  // namespace lt
