// The compile-time half of a way to run a program.
#pragma once

#include "runtime/border/plan.h"

namespace lt {

// The kernel's guarantees for programs that run in some way.
enum class Running : uint8_t {
    // Without preemption, and never two of this kind at one time on a CPU: an event in an interrupt or NMI while one of
    // them runs is skipped and counted as a miss of its program. The kernel's counter is bpf_prog_active, checked in
    // trace_call_bpf (perf events on tracepoints and kprobes) and in bpf_overflow_handler (perf events with a sample,
    // such as breakpoints).
    in_turn,
    // In thread context: it can be interrupted, but does not interrupt another program. uprobes run in an exception
    // from user space, preemptible; BPF_PROG_TEST_RUN (programs that the runtime runs) and iterators run in a system
    // call. Links to many kprobes also check bpf_prog_active, so they do not interrupt other programs; but not every
    // kernel guarantees that their programs cannot be preempted.
    outside,
    // Also in an interrupt, and in the middle of any other program: only the same program keeps trampolines and raw
    // tracepoints from running.
    anywhere,
};

// The context of a program.
enum class Context : uint8_t {
    registers,
    trampoline,  // the words of the function's arguments, then the result
    words,       // the arguments of a raw tracepoint
    record,      // fields of a tracepoint
    own,         // as the kind of program or the runtime defines it, without arguments
};

struct WayCode {
    Way way;
    const char* entry;  // section names by which libbpf knows the kind of a program, for entries and returns
    const char* at_return;
    Running running;
    Context context;
    int returns = 0;  // the value that the kernel requires its programs to return
};
const WayCode& way_code(Way way);

}  // namespace lt
