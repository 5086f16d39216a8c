// The compile-time half of each way, for both sides of the border.
#include <array>
#include <charconv>

#include "base/rows.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"

namespace lt {
namespace {

// way, name, site, needs, user, many, session, function, decoded, lingers
constexpr std::array rows{
    WayRow{Way::run, "run", SiteKind::none, {}, false, false, false, false},
    WayRow{Way::tracepoint, "tracepoint", SiteKind::tracepoint, Feature::tracepoint, false, false, false, false, false,
           true},
    WayRow{Way::raw_tracepoint, "raw tracepoint", SiteKind::raw_tracepoint, Feature::raw_tracepoint, false, false,
           false, false},
    WayRow{Way::fentry, "fentry", SiteKind::kernel, Feature::fentry, false, false, false, true},
    WayRow{Way::kprobe_session, "kprobe.session", SiteKind::kernel, Feature::kprobe_session, false, true, true, true,
           false, true},
    WayRow{Way::kprobe_multi, "kprobe.multi", SiteKind::kernel, Feature::kprobe_multi, false, true, false, true, false,
           true},
    WayRow{Way::kprobe, "kprobe", SiteKind::kernel, Feature::kprobe, false, false, false, true, false, true},
    WayRow{Way::uprobe_session, "uprobe.session", SiteKind::program, Feature::uprobe_session, true, true, true, true,
           false, true},
    WayRow{Way::uprobe_multi, "uprobe.multi", SiteKind::program, Feature::uprobe_multi, true, true, false, true, false,
           true},
    WayRow{Way::uprobe, "uprobe", SiteKind::program, Feature::uprobe, true, false, false, true, false, true},
    WayRow{Way::walk, "iterator", SiteKind::none, Feature::iterator, false, false, false, false},
    WayRow{Way::iterator, "iterator", SiteKind::iterator, Feature::iterator, false, false, false, false},
    WayRow{Way::perf_event, "perf event", SiteKind::perf_event, Feature::perf_event, false, false, false, false},
    WayRow{Way::host, "lt itself", SiteKind::none, {}, false, false, false, false},
    WayRow{Way::breakpoint, "breakpoint", SiteKind::kernel, Feature::breakpoint, false, false, false, true, true},
    WayRow{Way::sockets, "sockops", SiteKind::sockets, {}, false, false, false, false},
    WayRow{Way::system_call, "tail call", SiteKind::tracepoint, Feature::tracepoint, false, false, false, false},
    WayRow{Way::ret_multi, "ret.multi", SiteKind::program, Feature::uprobe_multi, true, true, false, true, true, true},
    WayRow{Way::ret, "ret", SiteKind::program, Feature::uprobe, true, false, false, true, true, true},
    WayRow{Way::typed_tracepoint, "typed tracepoint", SiteKind::raw_tracepoint, Feature::btf, false, false, false,
           false},
};
static_assert(in_enum_order(rows, &WayRow::way, static_cast<size_t>(Way::typed_tracepoint) + 1));

}  // namespace

std::span<const WayRow> way_rows() { return rows; }

const WayRow& way_row(Way way) { return rows[static_cast<size_t>(way)]; }

const std::string& subject(const Attachment& attachment) {
    static const std::string neither;
    if (const auto* kernel = std::get_if<KernelSite>(&attachment.site)) return kernel->function;
    if (const auto* program = std::get_if<ProgramSite>(&attachment.site)) return program->path;
    return neither;
}

std::optional<BpfFunction> bpf_function(std::string_view name) {
    const size_t colon = name.find(':');
    BpfFunction out;
    if (colon == name.npos) return {};
    std::from_chars(name.data(), name.data() + colon, out.program);
    out.name = name.substr(colon + 1);
    return out;
}

std::string_view way_name(Way way) { return way_row(way).name; }

}  // namespace lt
