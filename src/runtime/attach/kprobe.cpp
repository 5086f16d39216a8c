// Probes on kernel functions, either one perf event each or one link for many.
#include "runtime/attach/way.h"

#include "runtime/attach/perf.h"

namespace lt {
namespace {

Opened open_kprobe(Opening&, const Attachment& a, int program) {
    const auto& [function, offset] = std::get<KernelSite>(a.site);
    return one_hook(open_kprobe_event(function, offset, a.at_return), Way::kprobe, program);
}

}  // namespace

extern constinit const WayAttach kprobe_way{.open = open_kprobe, .entry_ns = 150, .return_ns = 250};
extern constinit const WayAttach kprobe_multi_way{.entry_ns = 120, .return_ns = 200};
extern constinit const WayAttach kprobe_session_way{.entry_ns = 150, .return_ns = 150};

}  // namespace lt
