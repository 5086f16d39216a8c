#include "codegen/ir/way_code.h"
#include "base/rows.h"

#include <array>

namespace lt {
namespace {

constexpr std::array rows{
    WayCode{Way::run, "raw_tp", "raw_tp", Running::outside, Context::own},
    WayCode{Way::tracepoint, "tracepoint", "tracepoint", Running::in_turn, Context::record},
    WayCode{Way::raw_tracepoint, "raw_tp", "raw_tp", Running::anywhere, Context::words},
    WayCode{Way::fentry, "fentry", "fexit", Running::anywhere, Context::trampoline},
    WayCode{Way::kprobe_session, "kprobe", "kprobe", Running::outside, Context::registers},
    WayCode{Way::kprobe_multi, "kprobe.multi", "kretprobe.multi", Running::outside, Context::registers},
    WayCode{Way::kprobe, "kprobe", "kretprobe", Running::in_turn, Context::registers},
    WayCode{Way::uprobe_session, "uprobe", "uprobe", Running::outside, Context::registers},
    WayCode{Way::uprobe_multi, "uprobe", "uretprobe", Running::outside, Context::registers},
    WayCode{Way::uprobe, "uprobe", "uretprobe", Running::outside, Context::registers},
    WayCode{Way::walk, "iter/task", "iter/task", Running::outside, Context::own},
    WayCode{Way::iterator, "iter", "iter", Running::outside, Context::own},
    WayCode{Way::perf_event, "perf_event", "perf_event", Running::in_turn, Context::registers},
    WayCode{Way::host, "lt_host", "lt_host", Running::outside, Context::own},  // not a section that libbpf knows
    WayCode{Way::breakpoint, "perf_event", "perf_event", Running::in_turn, Context::registers},
    WayCode{Way::sockets, "sockops", "sockops", Running::anywhere, Context::own, 1},
    WayCode{Way::system_call, "tracepoint", "tracepoint", Running::in_turn, Context::record},
    WayCode{Way::ret_multi, "uprobe", "uprobe", Running::outside, Context::registers},
    WayCode{Way::ret, "uprobe", "uprobe", Running::outside, Context::registers},
    WayCode{Way::typed_tracepoint, "tp_btf", "tp_btf", Running::anywhere, Context::words},
};
static_assert(in_enum_order(rows, &WayCode::way, static_cast<size_t>(Way::typed_tracepoint) + 1));

}  // namespace

const WayCode& way_code(Way way) { return rows[static_cast<size_t>(way)]; }

}  // namespace lt
