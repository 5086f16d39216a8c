// The process that a run traces, and the ways that the kernel refused.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/border/plan.h"

namespace lt {

// A rung that the kernel refused.
struct Refusal {
    size_t probe = 0;  // index into Plan::probes
    Way way = Way::run;
    std::string why;
};

// The process to trace: memory is watched in this one.
struct Target {
    int process = 0;      // 0: none
    bool bound = false;   // what the kernel can restrict to a process is restricted to it
    bool starts = false;  // the command of -c, which is not executed yet: until then its memory is lt's
};

}  // namespace lt
