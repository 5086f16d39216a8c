// The kernel gives the number of an ended thread to a new one. An opening therefore ends with its thread: an event of
// the new thread must not close it, and it must not fill the map. The kernel reports the end of a thread some
// milliseconds after its number is free; numbers are reused much later than that.
#include <linux/bpf.h>

#include <algorithm>
#include <functional>
#include <ranges>

#include "codegen/ir/builder.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/internal/internal.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/unit.h"

namespace lt {
namespace {

// A program at one of the thread events; `work` receives the thread's number.
void at_thread_event(Unit& unit, std::string name, const ThreadEvent& event,
                     const std::function<void(Builder&, ir::Value)>& work) {
    ir::Function& f = unit.function(std::move(name));
    f.way = Way::tracepoint;
    Attachment a;
    a.program = f.name;
    a.site = TracepointSite{event.category, event.name, event.id};
    internal_probe(unit, event.name).rungs = {{Way::tracepoint, "", {a}}};
    Builder b(f);
    work(b, ir::field(b, event.offset, 4, false));
}

void die(Unit& unit, Builder& b, uint32_t span, ir::Value opening, ir::Value key) {
    b.call(ir::Library::pair_die, {opening, b.constant(unit.loss(LossKind::span_died, span))});
    b.helper(BPF_FUNC_map_delete_elem, {b.map(unit.layout(span).map), key});
}

constexpr uint8_t mark_bytes = 2;  // of a thread's number: LT_MARKS in stdlib/bpf/span.bpf.c

// Threads with the same low bytes share a mark: it stays if another of them still has an opening.
void end_thread(Unit& unit, Builder& b, uint32_t span, ir::Value thread) {
    const SpanLayout& layout = unit.layout(span);
    if (!layout.threads) {
        const ir::Value key = b.buffer(8);
        b.store(key, 0, thread);
        const ir::Value opening = b.find(layout.map, key);
        return b.branch(opening, [&] { die(unit, b, span, opening, key); });
    }
    const auto with_threads = [&](const std::function<void(ir::Value)>& work) {
        const ir::Value threads = b.find(*layout.threads, b.text(unit.zeros(4)));
        b.branch(threads, [&] { work(threads); });
    };
    const auto look = [&] {
        b.each(layout.map, [&] {
            const ir::Value key = b.turn(0), opening = b.turn(1), other = b.load(key, *layout.thread_at, 4);
            const ir::Value differs = b.alu(ir::Alu::bit_xor, other, thread);
            const auto mark = [&] {
                with_threads([&](ir::Value threads) { b.call(ir::Library::mark_thread, {threads, other}); });
            };
            const auto is_other = [&] { b.branch(b.extend(differs, mark_bytes, false), [] {}, mark); };
            b.branch(differs, is_other, [&] { die(unit, b, span, opening, key); });
        });
    };
    with_threads([&](ir::Value threads) { b.branch(b.call(ir::Library::unmark_thread, {threads, thread}), look); });
}

}  // namespace

void follow_family(Unit& unit) {
    if (unit.typed.traced.by != TracedBy::family) return;
    at_thread_event(unit, "family_fork", unit.typed.traced.fork, [&](Builder& b, ir::Value child) {
        b.call(ir::Library::family_fork,
               {b.map(family_map(unit)), child, b.constant(unit.loss(LossKind::not_followed, 0))});
    });
    at_thread_event(unit, "family_free", unit.typed.traced.free, [&](Builder& b, ir::Value thread) {
        b.call(ir::Library::family_free, {b.map(family_map(unit)), thread});
    });
}

void end_thread_spans(Unit& unit) {
    ir::Function* f = nullptr;
    for (uint32_t i = 0; i < unit.spans(); i++) {
        const SpanState state = unit.span(i).state;
        if (state == SpanState::key || state == SpanState::frame) continue;
        if (!f) {
            f = &unit.function("thread_exit");
            f->way = Way::raw_tracepoint;
            Attachment a;
            a.program = f->name;
            a.site = RawTracepointSite{"sched_process_exit"};
            internal_probe(unit, "exits of threads").rungs = {{Way::raw_tracepoint, "", {a}}};
        }
        Builder b(*f);
        const ir::Value map = b.map(unit.layout(i).map);
        const ir::Value thread =
            b.call(state == SpanState::task ? ir::Library::task_state : ir::Library::hash_state, {map});
        b.branch(thread, [&] {
            b.call(ir::Library::span_die, {thread, b.constant(unit.loss(LossKind::span_died, i))});
            if (state == SpanState::thread) b.call(ir::Library::hash_state_drop, {map});
        });
    }
}

void end_keyed_spans(Unit& unit) {
    const auto has_thread = [&](uint32_t span) { return unit.layout(span).thread_at.has_value(); };
    const auto all = std::views::iota(0U, unit.spans());
    if (std::ranges::none_of(all, has_thread)) return;
    const ThreadEvent& event = *unit.typed.thread_end;
    at_thread_event(unit, "thread_gone", event, [&](Builder& b, ir::Value thread) {
        for (const uint32_t span : all)
            if (has_thread(span)) b.with_buffers([&] { end_thread(unit, b, span, thread); });
    });
}

}  // namespace lt
