// The kernel for which a script is compiled that reads a recording: its tracepoints are those in recordings, with the
// recorded fields. It has one function for each span of the recording, at whose entry and return the span opens and
// closes, and knows no types, symbols or programs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "recording/recording.h"
#include "runtime/border/kernel.h"

namespace lt {

// The recording must outlive it.
std::unique_ptr<Kernel> recorded_kernel(const Recording& recording);

// The function that stands for a span, by its index in Recording::spans, and the other way round.
std::string function_of_span(uint32_t span);
std::optional<uint32_t> span_of_function(std::string_view function);

}  // namespace lt
