// What is asked of spans that are open: blocks of timeouts, and age().
#include <fmt/format.h>

#include "lower.h"

namespace lt {
namespace {

constexpr int helper_ktime_get_ns = 5;

}  // namespace

// The runtime runs it, once for each span that is stuck, with the record of that span.
void BodyLowering::timeout(const ast::Timeout& node) {
    PlannedTimeout planned;
    planned.span = body_.span;
    planned.program = fmt::format("timeout_{}", body_.span);
    if (const auto* literal = std::get_if<ast::Duration>(&program_[node.after].node))
        planned.after_ns = literal->nanoseconds;
    if (const auto* p = std::get_if<ParamUse>(&use(node.after))) planned.param = p->index;
    Attachment a;
    a.program = planned.program;
    unit_.internal_probe("what is stuck").rungs = {{Way::run, "", {a}}};

    begin(planned.program, Way::run, false);
    closing_ = true;
    stuck_ = b_->find(unit_.stuck(), b_->text(unit_.zeros(4)));
    const ir::Value record = stuck_;
    now_ = b_->helper(helper_ktime_get_ns);
    make_locals();
    make_thawed();
    b_->branch(record, [&] {
        thaw(b_->address(record, stuck_header));
        b_->write(latency_slot_, b_->alu(ir::Alu::sub, now_, b_->load(record, stuck_header + time_offset)));
        block(node.body);
    });
    finish(node.span);
    stuck_ = ir::no_value;
    unit_.timeout(std::move(planned));
}

ir::Value BodyLowering::age(ast::ExprId, const ast::Call& node) {
    const uint32_t index = std::get<SpanUse>(use(node.arguments[0])).index;
    const PlannedSpan& planned = unit_.span(index);
    const uint32_t result = b_->new_slot();
    b_->write(result, b_->constant(0));
    const ir::Value now = b_->helper(helper_ktime_get_ns);
    if (planned.state != SpanState::key) {
        const ir::Value thread = thread_state(index, false);
        b_->branch(thread, [&] {
            b_->write(result, b_->call(ir::Library::span_age,
                                       {thread, b_->constant(planned.opening_size), b_->constant(planned.depth), now}));
        });
        return b_->read(result);
    }
    const ir::Value opening = b_->find(unit_.layout(index).map, span_key(index, node.arguments, 1));
    b_->branch(opening, [&] {
        const ir::Value time = b_->load(opening, time_offset);
        const ir::Value later = b_->alu(ir::Alu::ugt, now, time);
        b_->branch(time, [&] { b_->branch(later, [&] { b_->write(result, b_->alu(ir::Alu::sub, now, time)); }); });
    });
    return b_->read(result);
}

}  // namespace lt
