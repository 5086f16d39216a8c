#include <array>

#include "base/rows.h"
#include "runtime/attach/way.h"

namespace lt {

extern const WayAttach run_way, tracepoint_way, raw_tracepoint_way, fentry_way, kprobe_session_way, kprobe_multi_way,
    kprobe_way, uprobe_session_way, uprobe_multi_way, uprobe_way, walk_way, iterator_way, perf_event_way, host_way,
    breakpoint_way, sockets_way, system_call_way, ret_multi_way, ret_way, typed_tracepoint_way;

namespace {

struct Row {
    Way way;
    const WayAttach* attach;
};
constexpr std::array rows{
    Row{Way::run, &run_way},
    Row{Way::tracepoint, &tracepoint_way},
    Row{Way::raw_tracepoint, &raw_tracepoint_way},
    Row{Way::fentry, &fentry_way},
    Row{Way::kprobe_session, &kprobe_session_way},
    Row{Way::kprobe_multi, &kprobe_multi_way},
    Row{Way::kprobe, &kprobe_way},
    Row{Way::uprobe_session, &uprobe_session_way},
    Row{Way::uprobe_multi, &uprobe_multi_way},
    Row{Way::uprobe, &uprobe_way},
    Row{Way::walk, &walk_way},
    Row{Way::iterator, &iterator_way},
    Row{Way::perf_event, &perf_event_way},
    Row{Way::host, &host_way},
    Row{Way::breakpoint, &breakpoint_way},
    Row{Way::sockets, &sockets_way},
    Row{Way::system_call, &system_call_way},
    Row{Way::ret_multi, &ret_multi_way},
    Row{Way::ret, &ret_way},
    Row{Way::typed_tracepoint, &typed_tracepoint_way},
};
static_assert(in_enum_order(rows, &Row::way, static_cast<size_t>(Way::typed_tracepoint) + 1));

}  // namespace

const WayAttach& way_attach(Way way) { return *rows[static_cast<size_t>(way)].attach; }

Opened one_hook(Result<Descriptor> event, Way way, int program) {
    if (!event) return event.error();
    std::vector<Hook> hooks(1);
    hooks[0].program = program;
    hooks[0].way = way;
    hooks[0].event = *std::move(event);
    return hooks;
}

}  // namespace lt
