#include "runtime/kernel/multi_link_format.h"
#include "base/rows.h"

#include <linux/bpf.h>

#include <array>

namespace lt {
namespace {

constexpr uint32_t of_section = 0;

struct Row {
    Way way;
    uint32_t attach_type;
};
constexpr std::array rows{
    Row{Way::run, of_section},
    Row{Way::tracepoint, of_section},
    Row{Way::raw_tracepoint, of_section},
    Row{Way::fentry, of_section},
    Row{Way::kprobe_session, attach_kprobe_session},
    Row{Way::kprobe_multi, BPF_TRACE_KPROBE_MULTI},
    Row{Way::kprobe, of_section},
    Row{Way::uprobe_session, attach_uprobe_session},
    Row{Way::uprobe_multi, attach_uprobe_multi},
    Row{Way::uprobe, of_section},
    Row{Way::walk, of_section},
    Row{Way::iterator, of_section},
    Row{Way::perf_event, of_section},
    Row{Way::host, of_section},
    Row{Way::breakpoint, of_section},
    Row{Way::sockets, of_section},
    Row{Way::system_call, of_section},
    Row{Way::ret_multi, attach_uprobe_multi},
    Row{Way::ret, of_section},
    Row{Way::typed_tracepoint, of_section},
};
static_assert(in_enum_order(rows, &Row::way, static_cast<size_t>(Way::typed_tracepoint) + 1));

}  // namespace

uint32_t multi_attach_type(Way way) { return rows[static_cast<size_t>(way)].attach_type; }

}  // namespace lt
