// Probes on instructions of files, either one perf event each or one link for many.
#include "runtime/attach/way.h"

#include "runtime/attach/perf.h"

namespace lt {
namespace {

Opened open_uprobe(Opening& from, const Attachment& a, int program) {
    const ProgramSite& at = std::get<ProgramSite>(a.site);
    const int process = from.bound_to();
    return one_hook(open_uprobe_event({at.path, at.offset, a.at_return, at.semaphore, process}), Way::uprobe, program);
}

// Probes the entry of a function, and its return instructions.
Opened open_ret(Opening& from, const Attachment& a, int program) {
    const ProgramSite& at = std::get<ProgramSite>(a.site);
    const int process = from.bound_to();
    return one_hook(open_uprobe_event({at.path, at.offset, false, 0, process}), Way::ret, program);
}

}  // namespace

extern constinit const WayAttach uprobe_way{.open = open_uprobe, .entry_ns = 600, .return_ns = 800};
extern constinit const WayAttach uprobe_multi_way{.entry_ns = 600, .return_ns = 800};
extern constinit const WayAttach uprobe_session_way{.entry_ns = 550, .return_ns = 550};

// The kernel single-steps `ret`, which is expensive in a virtual machine.
constexpr uint64_t step_ns = 13000;
extern constinit const WayAttach ret_way{.open = open_ret, .entry_ns = 600, .return_ns = step_ns};
extern constinit const WayAttach ret_multi_way{.entry_ns = 600, .return_ns = step_ns};

}  // namespace lt
