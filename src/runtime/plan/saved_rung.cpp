#include "runtime/plan/saved_rung.h"

#include <utility>

namespace lt {
namespace {

struct Fill {
    SavedAttachment& out;

    void operator()(std::monostate) const {}
    void operator()(const TracepointSite& from) const {
        out.function = from.category;
        out.event = from.event;
        out.number = from.id;
    }
    void operator()(const RawTracepointSite& from) const { out.event = from.event; }
    void operator()(const KernelSite& from) const {
        out.function = from.function;
        out.number = from.offset;
    }
    void operator()(const ProgramSite& from) const {
        out.function = from.path;
        out.event = from.symbol;
        out.number = from.offset;
        out.semaphore = from.semaphore;
    }
    void operator()(const IteratorSite& from) const {
        out.event = from.kind;
        out.function = from.pin;
    }
    void operator()(const PerfEvent& from) const { out.perf = from; }
    void operator()(const SocketSite& from) const { out.event = from.event; }
    void operator()(const CallSite& from) const {
        (*this)(from.own);
        out.number = from.number;
        out.table = from.table;
    }
};

// A file can say anything: what is read is always of the kind that the way attaches to.
Site site(Way way, SavedAttachment&& from) {
    if (way == Way::system_call && !from.table.empty())
        return CallSite{{std::move(from.function), std::move(from.event)}, from.number, std::move(from.table)};
    switch (way_row(way).site) {
        case SiteKind::none:
            break;
        case SiteKind::tracepoint:
            return TracepointSite{std::move(from.function), std::move(from.event), from.number};
        case SiteKind::raw_tracepoint:
            return RawTracepointSite{std::move(from.event)};
        case SiteKind::kernel:
            return KernelSite{std::move(from.function), from.number};
        case SiteKind::program:
            return ProgramSite{std::move(from.function), std::move(from.event), from.number, from.semaphore};
        case SiteKind::iterator:
            return IteratorSite{std::move(from.event), std::move(from.function)};
        case SiteKind::perf_event:
            return from.perf;
        case SiteKind::sockets:
            return SocketSite{std::move(from.event)};
    }
    return {};
}

}  // namespace

SavedRung to_saved(const Rung& rung) {
    SavedRung out{rung.way, rung.refused};
    for (const Attachment& a : rung.attachments) {
        out.attachments.push_back({.program = a.program, .at_return = a.at_return, .cookie = a.cookie});
        std::visit(Fill{out.attachments.back()}, a.site);
    }
    return out;
}

Rung from_saved(SavedRung saved) {
    Rung out{saved.way, std::move(saved.refused), {}};
    for (SavedAttachment& a : saved.attachments) {
        Attachment& to = out.attachments.emplace_back();
        to.program = std::move(a.program);
        to.at_return = a.at_return;
        to.cookie = a.cookie;
        to.site = site(saved.way, std::move(a));
    }
    return out;
}

}  // namespace lt
