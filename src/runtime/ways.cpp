// What is true of each way to get a program run, for those on both sides of the border.
#include <array>

#include "runtime/plan.h"

namespace lt {
namespace {

// way, name, user, many, session, function
constexpr std::array rows{
    WayRow{Way::run, "run", false, false, false, false},
    WayRow{Way::tracepoint, "tracepoint", false, false, false, false},
    WayRow{Way::raw_tracepoint, "raw tracepoint", false, false, false, false},
    WayRow{Way::fentry, "fentry", false, false, false, true},
    WayRow{Way::kprobe_session, "kprobe.session", false, true, true, true},
    WayRow{Way::kprobe_multi, "kprobe.multi", false, true, false, true},
    WayRow{Way::kprobe, "kprobe", false, false, false, true},
    WayRow{Way::uprobe_session, "uprobe.session", true, true, true, true},
    WayRow{Way::uprobe_multi, "uprobe.multi", true, true, false, true},
    WayRow{Way::uprobe, "uprobe", true, false, false, true},
    WayRow{Way::walk, "iterator", false, false, false, false},
    WayRow{Way::iterator, "iterator", false, false, false, false},
    WayRow{Way::perf_event, "perf event", false, false, false, false},
    WayRow{Way::host, "lt itself", false, false, false, false},
    WayRow{Way::breakpoint, "breakpoint", false, false, false, true},
    WayRow{Way::sockets, "sockops", false, false, false, false},
    WayRow{Way::system_call, "tail call", false, false, false, false},
};
static_assert([] {
    for (size_t i = 0; i < rows.size(); i++)
        if (static_cast<size_t>(rows[i].way) != i) return false;
    return true;
}());

}  // namespace

std::span<const WayRow> way_rows() { return rows; }

const WayRow& way_row(Way way) { return rows[static_cast<size_t>(way)]; }

std::string_view way_name(Way way) { return way_row(way).name; }

}  // namespace lt
