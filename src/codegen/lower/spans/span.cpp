#include "codegen/lower/spans/span.h"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <iterator>

#include "codegen/lower/attach.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/spans/call.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/spans/pair.h"
#include "codegen/lower/statements/statement.h"

namespace lt {
namespace {

// One program for both ends.
std::vector<Attachment> session(const BodyContext& c, const std::string& open, const std::string& close, Way way) {
    const std::string name = fmt::format("span_{}", c.number());
    Lowering both(c, name, way, false);
    both.function.on_entry = open;
    both.function.on_return = close;
    return attachments(c, name, false);
}

}  // namespace

void lower_span(const BodyContext& c, const ast::SpanAction& node, Rung& rung) {
    const std::string open = fmt::format("open_{}", c.number()), close = fmt::format("close_{}", c.number());
    switch (c.body.role) {
        case Role::action:
            return;
        case Role::call:
            open_call(c, node, open, rung.way);
            close_call(c, node, close, rung.way);
            // returns first: an entry whose return is not yet attached would leave a stale opening
            rung.attachments = attachments(c, close, true);
            std::ranges::copy(attachments(c, open, false), std::back_inserter(rung.attachments));
            if (way_row(rung.way).session) rung.attachments = session(c, open, close, rung.way);
            return;
        case Role::open:
            open_pair(c, node, open, rung.way);
            rung.attachments = attachments(c, open, probe_row(c.body.place.kind).result);
            return;
        case Role::close:
            close_pair(c, node, close, rung.way);
            rung.attachments = attachments(c, close, probe_row(c.body.place.kind).result);
            return;
    }
}

void lower_timeout(const BodyContext& c, const ast::Timeout& node) {
    PlannedTimeout planned;
    planned.span = c.body.span;
    planned.program = fmt::format("timeout_{}", c.body.span);
    if (const auto* literal = std::get_if<ast::Duration>(&c.program[node.after].node))
        planned.after_ns = literal->nanoseconds;
    if (const auto* p = std::get_if<ParamUse>(&c.body.uses[static_cast<size_t>(node.after)])) planned.param = p->index;
    Attachment a;
    a.program = planned.program;
    internal_probe(c.unit, "what is stuck").rungs = {{Way::run, "", {a}}};

    Lowering l(c, planned.program, Way::run, false);
    l.stuck = l.b.find(stuck_map(l.unit), l.b.text(l.unit.zeros(4)));
    const ir::Value record = l.stuck;
    l.now = l.b.helper(BPF_FUNC_ktime_get_ns);
    begin_close(l);
    l.b.branch(record, [&] {
        thaw(l, l.b.address(record, stuck_header));
        l.b.write(l.latency_slot, l.b.alu(ir::Alu::sub, l.now, l.b.load(record, stuck_header + time_offset)));
        lower_block(l, node.body);
    });
    l.finish(node.span);
    l.unit.plan().timeouts.push_back(std::move(planned));
}

}  // namespace lt
