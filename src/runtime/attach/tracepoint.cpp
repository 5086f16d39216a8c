// Tracepoints, system calls that are dispatched by number, and raw tracepoints.
#include "runtime/attach/way.h"

#include <cerrno>

#include "runtime/attach/perf.h"
#include "runtime/bpf/map.h"
#include "runtime/bpf/program.h"

namespace lt {
namespace {

Opened open_tracepoint(Opening&, const Attachment& a, int program) {
    return one_hook(open_tracepoint_event(std::get<TracepointSite>(a.site).id), Way::tracepoint, program);
}

// The program that calls the others is attached to a tracepoint. The others only sit in its table: none is called
// before it is linked or after its link has gone.
Opened open_system_call(Opening& from, const Attachment& a, int program) {
    const auto* call = std::get_if<CallSite>(&a.site);
    if (!call) return one_hook(open_tracepoint_event(std::get<TracepointSite>(a.site).id), Way::system_call, program);
    const int table = from.object.programs(call->table);
    const auto cell = static_cast<uint32_t>(call->number);
    const int code = table < 0 ? table : bpf::update(table, &cell, &program);
    if (code < 0) return system_error("cannot put a program into " + call->table, -code);
    return std::vector<Hook>{};
}

template <Way way>
Opened open_raw_tracepoint(Opening&, const Attachment& a, int program) {
    auto hooks = one_hook(Descriptor(), way, program);
    hooks->front().raw_event = std::get<RawTracepointSite>(a.site).event;
    return hooks;
}

Result<Descriptor> link_raw_tracepoint(Hook& hook) {
    const bool is_loaded_for_it = hook.way == Way::typed_tracepoint;
    Descriptor link = bpf::open_raw_tracepoint(is_loaded_for_it ? nullptr : hook.raw_event.c_str(), hook.program);
    if (!link) return system_error("raw tracepoint " + hook.raw_event, errno);
    return link;
}

}  // namespace

extern constinit const WayAttach tracepoint_way{.open = open_tracepoint, .entry_ns = 150, .return_ns = 150};
extern constinit const WayAttach raw_tracepoint_way{
    .open = open_raw_tracepoint<Way::raw_tracepoint>, .link = link_raw_tracepoint, .entry_ns = 90, .return_ns = 90};
extern constinit const WayAttach typed_tracepoint_way{
    .open = open_raw_tracepoint<Way::typed_tracepoint>, .link = link_raw_tracepoint, .entry_ns = 90, .return_ns = 90};
extern constinit const WayAttach system_call_way{.open = open_system_call, .entry_ns = 150, .return_ns = 150};

}  // namespace lt
