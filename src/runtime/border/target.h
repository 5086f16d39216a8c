// The processes that a run traces, and the ways that the kernel refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/border/plan.h"

namespace lt {

// A rung that the kernel refused.
struct Refusal {
    size_t probe = 0;  // index into Plan::probes
    Way way = Way::run;
    std::string why;
};

// A method that the kernel refused or the user ruled out: the next compilation skips it and reports why.
struct RuledOut {
    std::string function;  // empty: every function
    Way way = Way::run;
    std::string why;
};

// A tracepoint at the start or end of threads; the field at `offset` is the id of the thread.
struct ThreadEvent {
    std::string category, name;
    uint64_t id = 0;  // as in Tracepoint
    uint32_t offset = 0;
};

// The processes whose events are collected.
enum class TracedBy : uint8_t {
    all,
    process,
    family,  // a process and all descendants that it starts from then on; the session tracks them
    cgroup,  // all processes in or below the cgroup
};
struct Traced {
    TracedBy by = TracedBy::all;
    int process = 0;
    uint64_t cgroup = 0;  // the inode number of its folder
    uint32_t level = 0;   // below the root
    ThreadEvent fork, free;
};

// The process to trace: memory is watched in this one.
struct Target {
    int process = 0;      // 0: none
    bool bound = false;   // what the kernel can restrict to a process is restricted to it
    bool starts = false;  // the command of -c, which is not executed yet: until then its memory is lt's
};

}  // namespace lt
