// Perf events that run a BPF program: on tracepoints, kernel functions and instructions of files. They are opened
// disabled and hold no ring buffer; the program is all that they do.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "descriptor.h"

namespace lt {

// One event serves every CPU: the kernel runs the programs of a tracepoint or probe wherever it is hit.
Result<Descriptor> open_tracepoint_event(uint64_t id);
Result<Descriptor> open_kprobe_event(const std::string& function, bool at_return);
Result<Descriptor> open_uprobe_event(const std::string& path, uint64_t offset, bool at_return);

// Sets the event's program. Closing the link takes it away at once, where closing the event waits for RCU. An empty
// descriptor: the kernel (before 5.15) has no such links, and the program stays until the event is closed; cookies it
// has none, either.
Result<Descriptor> link_program(int event, int program, uint64_t cookie = 0);

Status enable_event(int event);
void disable_event(int event);

}  // namespace lt
