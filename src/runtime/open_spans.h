// Spans that are open now, wherever their state is kept: storage of tasks is walked by an iterator of the kernel's,
// hashes are read.
#pragma once

#include <vector>

#include "base/result.h"
#include "object.h"
#include "runtime/decode.h"
#include "runtime/plan.h"
#include "runtime/value.h"
#include "stacks.h"

namespace lt {

struct Open {
    uint32_t span = 0;   // index into Plan::spans
    uint32_t level = 0;  // of a thread's: from the outermost
    uint64_t who = 0;    // pid << 32 | tid of the thread that opened it
    uint64_t time = 0;   // of CLOCK_MONOTONIC
    Bytes key;           // of a span between two events
    Bytes opening;       // as it lies in the map: frame, time, frozen values
    std::vector<uint64_t>
        kernel_stack;  // of the thread, innermost first; with its innermost span, where the kernel tells
};

Result<std::vector<Open>> open_spans(const Plan& plan, const LoadedObject& object);

uint64_t monotonic_now();                  // the clock of BPF's bpf_ktime_get_ns
std::string name_of_thread(uint64_t who);  // as it is named now; empty where it has gone

// Those of one span, for people.
Result<OpenSpans> describe_open(const Plan& plan, const LoadedObject& object, Stacks& stacks, uint32_t span);

}  // namespace lt
