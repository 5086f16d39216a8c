// Spans that are open now, wherever their state is kept: an iterator walks task storage, hashes are read.
#pragma once

#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/load/object.h"
#include "runtime/names/stacks.h"
#include "runtime/values/decode.h"
#include "runtime/values/value.h"

namespace lt {

struct OpenRecord {
    uint32_t span = 0;   // index into Plan::spans
    uint32_t level = 0;  // of a thread's spans: from the outermost
    uint64_t who = 0;    // pid << 32 | tid of the thread that opened it, in lt's PID namespace; 0: unknown
    uint64_t time = 0;   // CLOCK_MONOTONIC; 0: it is being opened
    Bytes key;           // for a span between two events
    Bytes opening;       // as in the map: frame, time, frozen values
    std::vector<uint64_t>
        kernel_stack;  // of the thread, innermost first; only with its innermost span, and if the kernel provides it
};

// Without the SpanState::frame spans whose process has exited.
Result<std::vector<OpenRecord>> open_spans(const Plan& plan, const LoadedObject& object);

// The number of those, by span.
Result<std::vector<uint64_t>> ended_calls(const Plan& plan, const LoadedObject& object);

// Deletes those, which would fill the map, and adds their numbers to `deleted`, by span.
Status delete_ended_calls(const Plan& plan, const LoadedObject& object, std::vector<uint64_t>& deleted);
constexpr uint64_t ended_calls_period = 1'000'000'000;  // ns between two calls of it

std::string name_of_thread(uint64_t who);  // its current name; empty if it has exited

// The open instances of one span, for people.
Result<OpenSpans> describe_open(const Plan& plan, const LoadedObject& object, Stacks& stacks, uint32_t span);

}  // namespace lt
