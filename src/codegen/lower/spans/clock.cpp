#include "codegen/lower/spans/clock.h"

#include <linux/bpf.h>

#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/values/stack.h"
#include "runtime/border/why.h"

namespace lt {

ir::Value opening_time(Lowering& l, ir::Value opening) {
    const auto& sums = l.unit.layout(l.body.span).why;
    if (!sums) return l.b.helper(BPF_FUNC_ktime_get_ns);
    return l.b.call(ir::Library::why_open,
                    {l.b.map(why_threads_map(l.unit)), l.b.map(why_cpus_map(l.unit)), l.b.address(opening, *sums),
                     l.b.constant(reports_waits(l.unit.typed)), l.b.constant(l.unit.loss(LossKind::hidden_switch, 0))});
}

ir::Value closing_time(Lowering& l) {
    if (!l.unit.layout(l.body.span).why) return l.b.helper(BPF_FUNC_ktime_get_ns);
    l.why = l.b.buffer(8 * why_words);
    return l.b.call(ir::Library::why_close, {l.b.map(why_threads_map(l.unit)), l.b.map(why_cpus_map(l.unit)), l.why,
                                             l.b.constant(l.unit.loss(LossKind::hidden_switch, 0))});
}

void explain(Lowering& l, ir::Value opening) {
    const auto& sums = l.unit.layout(l.body.span).why;
    if (!sums || l.stuck != ir::no_value) return;
    const ir::Value latency = l.b.alu(ir::Alu::sub, l.now, l.b.load(opening, time_offset));
    l.b.call(ir::Library::why_parts, {l.b.map(why_threads_map(l.unit)), l.b.address(opening, *sums), l.why, latency});
}

void report_longest_wait(Lowering& l, ir::Value opened) {
    if (!l.unit.typed.spans[l.body.span].longest_wait) return;
    const auto lost = [&](LossKind kind) { return l.b.constant(l.unit.loss(kind, 0)); };
    const uint32_t stacks = stack_map(l.unit), room = stack_room_map(l.unit);
    l.b.call(ir::Library::why_longest,
             {l.b.map(why_threads_map(l.unit)), opened, l.why, l.b.map(room), l.b.map(stacks),
              lost(LossKind::stack_collision), lost(LossKind::stacks_full), lost(LossKind::stack_busy)});
}

}  // namespace lt
