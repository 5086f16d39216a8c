#include "codegen/lower/spans/keep.h"

#include <linux/bpf.h>

#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/statements/record.h"
#include "runtime/border/recording.h"

namespace lt {
namespace {

constexpr int64_t same_thread = -1;  // as an opener; 0 is the thread of an idle CPU

}  // namespace

void record_opening(Lowering& l, ir::Value time) {
    if (!keeps_records(l.unit)) return;
    const KeepMaps maps = keep_maps(l.unit);
    l.b.call(ir::Library::keep_open, {l.b.map(maps.rings), l.b.map(maps.slots), l.b.constant(l.body.span), time});
}

void note_opener(Lowering& l, ir::Value opening) {
    if (!keeps_records(l.unit) || l.stuck != ir::no_value) return;
    l.opener_slot = l.b.new_slot();
    const SpanState state = l.unit.span(l.body.span).state;
    const bool is_known = state == SpanState::key || state == SpanState::frame;
    l.b.write(*l.opener_slot, is_known ? l.b.load(opening, frame_offset, 4) : l.b.constant(same_thread));
}

void record_close(Lowering& l) {
    if (!keeps_records(l.unit)) return;
    const KeepMaps maps = keep_maps(l.unit);
    l.b.call(ir::Library::keep_close,
             {l.b.map(maps.rings), l.b.map(maps.slots), l.b.constant(l.body.span),
              l.opener_slot ? l.b.read(*l.opener_slot) : l.b.constant(same_thread), l.now, l.b.read(l.latency_slot)});
}

// A timeout's block runs in lt, about another thread.
void take_snapshot(Lowering& l, const ast::Call&) {
    const KeepMaps maps = keep_maps(l.unit);
    const bool is_stuck = l.stuck != ir::no_value;
    const ir::Value tid = is_stuck ? l.b.load(l.stuck, offsetof(StuckSpan, who), 4)
                                   : l.b.extend(l.b.helper(BPF_FUNC_get_current_pid_tgid), 4, false);
    const ir::Value latency = l.closing ? l.b.read(l.latency_slot) : l.b.constant(0);
    const ir::Value span = l.b.constant(l.closing ? l.body.span : static_cast<int64_t>(outside_spans));
    l.b.call(ir::Library::keep_trigger, {l.b.map(maps.rings), l.b.map(maps.slots), span, tid, latency});
    PlannedEvent e;
    e.kind = EventKind::snapshot;
    e.fields.assign(4, {integer_type(8, false)});
    emit_parts(l, std::move(e),
               {{tid, 8, false}, {span, 8, false}, {latency, 8, false}, {l.b.helper(BPF_FUNC_ktime_get_ns), 8, false}},
               true);
}

}  // namespace lt
