// The run-time half of a way to run a program: how it is attached and what that costs. Each way is defined in its own
// file and has a row in ways.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/attach/attach_breakpoint.h"
#include "runtime/attach/pin.h"
#include "runtime/attach/probed_files.h"
#include "runtime/border/plan.h"
#include "runtime/border/target.h"
#include "runtime/load/object.h"
#include "runtime/os/descriptor.h"

namespace lt {

// A program at one location, or at several by multi-links. The links close before the event.
struct Hook {
    int program = -1;
    Way way = Way::run;
    Descriptor event = Descriptor();     // empty for trampolines and multi-links, which consist of the link alone
    std::vector<Descriptor> links = {};  // empty until linked
    std::string raw_event = {};          // name of a raw tracepoint or an iterator
    Pin pin = Pin();                     // of an iterator that others may read
    uint64_t cookie = 0;
    std::vector<Attachment> places = {};  // of multi-links
    std::string file = {};                // FileState::content of their path when this was opened; empty: unknown
    int process = 0;                      // uprobes by one link, iterators over tasks: only in this process; 0: in all
    bool at_exec = false;                 // the kernel enables it when the command of -c is executed
    bool on_cpu = false;                  // its event is for one CPU; those of the others are in other hooks
    bool on_event = false;                // linked, but this kernel has no link for it: the program goes with the event
    uint64_t missed = 0;                  // events at which the kernel did not serve a kprobe, until it was stopped
};

using Opened = Result<std::vector<Hook>>;
Opened one_hook(Result<Descriptor> event, Way way, int program);
// A link without a descriptor is one that this kernel ties to the event.
Status keep_link(Hook& hook, Result<Descriptor> link);

// The input for opening, besides the location.
struct Opening {
    const Plan& plan;
    LoadedObject& object;
    const Target target;
    ProbedFiles files;
    std::optional<Result<CodeSymbols>> symbols;  // read at the first breakpoint, for all of them

    int bound_to() const { return target.bound ? target.process : 0; }  // 0: to all processes
};

// Costs are nanoseconds per run on top of the time that the kernel measures for the program, measuring included.
// Tracepoints (for system calls including their slower path), raw tracepoints and uprobes: the CPU time that an event
// of bench/load.c adds to the traced thread while the kernel measures, less what it measures; minima, Linux 6.18 in a
// virtual machine. A uprobe's return includes the entry's trap if only the return is probed, and little of it in a
// span; the figure is in between. The others are estimates, because that kernel lacks them: kernel functions are based
// on raw tracepoints, which do the least, and interrupts on uprobes.
struct WayAttach {
    // Opens the events of one location, stopped; null: there is no event, because one link covers many locations.
    Opened (*open)(Opening& from, const Attachment& attachment, int program) = nullptr;
    // Sets the program if it does not have an event of its own.
    Result<Descriptor> (*link)(Hook& hook) = nullptr;
    uint64_t entry_ns = 0, return_ns = 0;
    uint64_t dispatch_ns(bool at_return) const { return at_return ? return_ns : entry_ns; }

    bool stops_when_disabled = false;  // else programs run even while their event is disabled
};
const WayAttach& way_attach(Way way);

}  // namespace lt
