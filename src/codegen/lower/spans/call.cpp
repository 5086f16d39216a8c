// The clock is read last when a span opens and first when it closes, so that lt's own work is not part of the latency.
#include "codegen/lower/spans/call.h"

#include <functional>

#include "codegen/ir/outside.h"
#include "codegen/lower/conditions.h"
#include "codegen/lower/spans/clock.h"
#include "codegen/lower/spans/frame.h"
#include "codegen/lower/spans/keep.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/system_calls.h"

namespace lt {
namespace {

ir::Value thread_opening(Lowering& l, ir::Value thread) {
    const PlannedSpan& planned = l.unit.span(l.body.span);
    const ir::Value missed = l.b.constant(l.unit.loss(LossKind::span_missed, l.body.span));
    if (planned.depth == 1) return l.b.call(ir::Library::span_open_one, {thread, missed});
    return l.b.call(ir::Library::span_open,
                    {thread, l.b.constant(planned.opening_size), ir::frame(l.b), l.b.constant(stack_reach(l.way)),
                     missed, l.b.constant(l.unit.loss(LossKind::span_too_deep, l.body.span))});
}

ir::Value closed_opening(Lowering& l, ir::Value thread, const Unmatched& none) {
    const PlannedSpan& planned = l.unit.span(l.body.span);
    if (planned.depth == 1)
        return l.b.call(ir::Library::span_close_one,
                        {thread, none.no_entry, none.no_room, none.unmeasured, none.spares});
    return l.b.call(ir::Library::span_close, {thread, l.b.constant(planned.opening_size), ir::frame(l.b),
                                              l.b.constant(l.unit.loss(LossKind::span_missed, l.body.span)),
                                              none.no_entry, none.no_room, none.unmeasured, none.spares});
}

// A call that is not measured. Like an opening, it drops openings that never returned: otherwise its own return would
// close one of them.
void skip_call(Lowering& l) {
    if (by_frame(l)) return skip_frame(l);
    const PlannedSpan& planned = l.unit.span(l.body.span);
    const ir::Value missed = l.b.constant(l.unit.loss(LossKind::span_missed, l.body.span));
    const ir::Value thread = thread_state(l, l.body.span, false);
    l.b.branch(thread, [&] {
        if (planned.depth == 1) {
            l.b.call(ir::Library::span_skip_one, {thread, missed});
            return;
        }
        l.b.call(ir::Library::span_skip, {thread, l.b.constant(planned.opening_size), ir::frame(l.b),
                                          l.b.constant(stack_reach(l.way)), missed});
    });
}

}  // namespace

namespace {

// Runs the work where a span of the thread may be open. The program at the end of all system calls also runs for other
// processes.
void where_open(Lowering& l, const std::function<void()>& work) {
    const bool sees_others = serves_system_calls(l.body.place) && l.unit.typed.traced.by == TracedBy::process;
    where_called(l, [&] { sees_others ? where_traced(l, work) : work(); });
}

}  // namespace

ir::Value thread_state(Lowering& l, uint32_t span, bool make) {
    const PlannedSpan& planned = l.unit.span(span);
    const uint32_t map = l.unit.layout(span).map;
    const ir::Value state = l.b.map(map);
    if (!make)
        return l.b.call(planned.state == SpanState::task ? ir::Library::task_state : ir::Library::hash_state, {state});
    const ir::Value no_room = l.b.constant(l.unit.loss(LossKind::span_no_room, span));
    if (planned.state == SpanState::task) return l.b.call(ir::Library::task_state_make, {state, no_room});
    const ir::Value zero = l.b.text(l.unit.zeros(span_thread_header + planned.depth * planned.opening_size));
    return l.b.call(ir::Library::hash_state_make, {state, zero, no_room});
}

void open_call(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way) {
    Lowering l(c, name, way, false);
    make_locals(l);
    const auto opens = [&] {
        if (by_frame(l)) return open_frame(l);
        const ir::Value thread = thread_state(l, l.body.span, true);
        l.b.branch(thread, [&] {
            const ir::Value opening = thread_opening(l, thread);
            l.b.branch(opening, [&] {
                freeze(l, opening);
                const ir::Value time = opening_time(l, opening);
                l.b.store(opening, time_offset, time);
                record_opening(l, time);
            });
        });
    };
    const auto skips = [&] { skip_call(l); };
    const auto booked = [&] {
        note_in_books(l, book_opened);
        through_gate(l, opens, skips);
    };
    if_opens(l, node, booked, skips);
    l.finish(l.body.place.span);
}

void close_call(const BodyContext& c, const ast::SpanAction& node, const std::string& name, Way way) {
    Lowering l(c, name, way, true);
    begin_close(l);
    const Unmatched none = unmatched_losses(l, node);
    where_open(l, [&] {
        l.now = closing_time(l);
        if (by_frame(l)) return close_frame(l, node, none);
        const ir::Value opening = closed_opening(l, thread_state(l, l.body.span, false), none);
        l.b.branch(opening, [&] {
            thaw(l, opening);
            finish_close(l, node, l.b.load(opening, time_offset));
        });
    });
    l.finish(l.body.place.span);
}

}  // namespace lt
