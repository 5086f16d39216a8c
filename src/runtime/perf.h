// Perf events that run a BPF program: on tracepoints, kernel functions and instructions of files. They are opened
// disabled and hold no ring buffer; the program is all that they do.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "descriptor.h"
#include "runtime/plan.h"

namespace lt {

// One event serves every CPU: the kernel runs the programs of a tracepoint or probe wherever it is hit.
Result<Descriptor> open_tracepoint_event(uint64_t id);
// A function, and how far behind its beginning; or an address, "0x...".
Result<Descriptor> open_kprobe_event(const std::string& function, uint64_t offset, bool at_return);

// An instruction of a file, or the returns of a function there.
struct UprobePlace {
    std::string path;
    uint64_t offset = 0;
    bool at_return = false;
    uint64_t semaphore = 0;  // as Attachment
    int process = 0;         // only in this one; 0: in all
};
Result<Descriptor> open_uprobe_event(const UprobePlace& place);

// It counts on one CPU and runs nothing; `name` is what the error says.
Result<Descriptor> open_counter(const PerfEvent& event, int cpu, const std::string& name);

// Of one CPU, or of one thread and those that it starts: the other is -1.
// `at_exec`: enabled when the thread executes another program, and not before.
Result<Descriptor> open_counting_event(const PerfEvent& event, int thread, int cpu, bool at_exec = false);

// Sets the event's program. Closing the link takes it away at once, where closing the event waits for RCU. An empty
// descriptor: the kernel (before 5.15) has no such links, and the program stays until the event is closed; cookies it
// has none, either.
Result<Descriptor> link_program(int event, int program, uint64_t cookie = 0);

Status enable_event(int event);
void disable_event(int event);

}  // namespace lt
