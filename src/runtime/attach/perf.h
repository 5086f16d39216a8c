// Perf events that run a BPF program, on tracepoints, kernel functions and instructions of files. They are opened
// disabled and have no ring buffer: all they do is run the program.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/os/descriptor.h"

namespace lt {

// One event serves all CPUs: the kernel runs the program of a tracepoint or probe wherever it is hit.
Result<Descriptor> open_tracepoint_event(uint64_t id);
// A function name and an offset, or an address ("0x...").
Result<Descriptor> open_kprobe_event(const std::string& function, uint64_t offset, bool at_return);

// An instruction of a file, or the returns of the function there.
struct UprobePlace {
    std::string path;
    uint64_t offset = 0;
    bool at_return = false;
    uint64_t semaphore = 0;  // as in Attachment
    int process = 0;         // only in this process; 0: in all
};
Result<Descriptor> open_uprobe_event(const UprobePlace& place);

// Counts on one CPU and runs nothing; `name` is for the error.
Result<Descriptor> open_counter(const PerfEvent& event, int cpu, const std::string& name);

// For one CPU (`thread` is -1), or for one thread and the threads that it starts (`cpu` is -1). `at_exec`: the event is
// enabled when the thread executes another program, and not before.
Result<Descriptor> open_counting_event(const PerfEvent& event, int thread, int cpu, bool at_exec = false);

// Sets the event's program. Closing the link removes it at once, while closing the event waits for RCU. Returns an
// empty descriptor before Linux 5.15, which has neither such links nor cookies: the program then stays until the event
// is closed.
Result<Descriptor> link_program(int event, int program, uint64_t cookie = 0);

Status enable_event(int event);
void disable_event(int event);

}  // namespace lt
