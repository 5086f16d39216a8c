#include "codegen/lower/spans/frame.h"

#include <linux/bpf.h>

#include <functional>

#include "arch/arch.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/spans/keep.h"
#include "codegen/lower/spans/opening.h"

namespace lt {
namespace {

constexpr int64_t goroutine_stack_end = 8;  // offset of g.stack.hi in struct g
constexpr int64_t any_distance = int64_t{1} << 62;

// The largest distance between two frames of one owner.
int64_t reach(const ResolvedPlace& place, Way way) {
    if (is_decoded(place)) return any_distance;
    return stack_reach(way);
}

// A goroutine's stack moves when it grows; the distance of a frame from the end of the stack stays the same. For C
// functions only the frame is known, and no other call has that frame while it is open. The openings of kernel hooks
// belong to the thread.
ir::Value call_key(Lowering& l) {
    const ir::Value key = l.b.buffer(span_call_key);
    const ir::Value thread = l.b.helper(BPF_FUNC_get_current_pid_tgid);
    l.b.store(key, 0, l.b.alu(ir::Alu::lshr, thread, l.b.constant(32)));
    ir::Value owner = thread, frame = ir::frame(l.b);
    if (is_decoded(l.body.place)) owner = l.b.constant(0);
    if (is_decoded(l.body.place) && user_function(l.body.place).convention == Convention::go) {
        owner = ir::field(l.b, arch::native.goroutine.offset, 8, false);
        const ir::Value place = l.b.alu(ir::Alu::add, owner, l.b.constant(goroutine_stack_end));
        const ir::Value end = l.b.fetch(place, 8, false, true, l.unit.loss(LossKind::failed_read, 0));
        frame = l.b.alu(ir::Alu::sub, frame, end);
    }
    l.b.store(key, 8, owner);
    l.b.store(key, 16, frame);
    return key;
}

}  // namespace

void where_begun(Lowering& l, const std::function<void()>& work) {
    const UserFunction& f = user_function(l.body.place);
    if (l.at_return || !in_program(l.body.place) || !f.ends || !f.ends->at_check) return work();
    const arch::RegisterBits& grows = arch::native.go_grows_stack;
    const ir::Value flags = ir::field(l.b, grows.in.offset, 8, false);
    l.b.branch(l.b.alu(ir::Alu::bit_and, flags, l.b.constant(grows.mask)), [] {}, work);
}

void open_frame(Lowering& l) {
    const PlannedSpan& planned = l.unit.span(l.body.span);
    const ir::Value opening = l.b.call(
        ir::Library::call_open,
        {l.b.map(l.unit.layout(l.body.span).map), call_key(l), l.b.text(l.unit.zeros(planned.opening_size)),
         l.b.constant(reach(l.body.place, l.way)), l.b.constant(l.unit.loss(LossKind::span_missed, l.body.span)),
         l.b.constant(l.unit.loss(LossKind::span_no_room, l.body.span))});
    l.b.branch(opening, [&] {
        // The flight recorder has the kernel's own ids.
        if (keeps_records(l.unit)) l.b.store(opening, frame_offset, l.b.helper(BPF_FUNC_get_current_pid_tgid));
        freeze(l, opening);
        const ir::Value time = l.b.helper(BPF_FUNC_ktime_get_ns);
        l.b.store(opening, time_offset, time);
        record_opening(l, time);
    });
}

void skip_frame(Lowering& l) {
    l.b.call(ir::Library::call_skip,
             {l.b.map(l.unit.layout(l.body.span).map), call_key(l), l.b.constant(reach(l.body.place, l.way)),
              l.b.constant(l.unit.loss(LossKind::span_missed, l.body.span))});
}

void close_frame(Lowering& l, const ast::SpanAction& node, const Unmatched& none) {
    const ir::Value map = l.b.map(l.unit.layout(l.body.span).map);
    const ir::Value key = call_key(l);
    const ir::Value opening =
        l.b.call(ir::Library::call_close, {map, key, l.b.constant(l.unit.loss(LossKind::span_missed, l.body.span)),
                                           none.no_entry, none.no_room, none.unmeasured, none.spares});
    l.b.branch(opening, [&] {
        thaw(l, opening);
        const ir::Value opened = l.b.load(opening, time_offset);
        l.b.helper(BPF_FUNC_map_delete_elem, {map, key});
        finish_close(l, node, opened);
    });
}

bool by_frame(const Lowering& l) { return l.unit.span(l.body.span).state == SpanState::frame; }

int64_t stack_reach(Way way) {
    constexpr int64_t user_stack = 8 << 20;  // the kernel's default limit
    return way_row(way).user ? user_stack : arch::native.kernel_stack;
}

}  // namespace lt
