// From the typed tree to IR and plan: one function for an action, two for a span.
#include <fmt/format.h>

#include <utility>

#include "codegen/ir/outside.h"
#include "codegen/lower/attach.h"
#include "codegen/lower/conditions.h"
#include "codegen/lower/context.h"
#include "codegen/lower/internal/internal.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/spans/span.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/statements/statement.h"
#include "codegen/lower/system_calls.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/sampled.h"

namespace lt {
namespace {

void lower_action(const BodyContext& c, const ast::Action& node, PlannedProbe& probe, Rung& rung) {
    const std::string name = fmt::format("probe_{}", c.number());
    const bool at_return = probe_row(c.body.place.kind).result;
    Lowering l(c, name, rung.way, at_return);
    make_locals(l);
    const auto body = [&] { through_gate(l, [&] { lower_block(l, node.body); }); };
    const auto if_predicate = [&] {
        node.predicate ? l.b.branch(truth(l, integer_of(l, *node.predicate)), body) : body();
    };
    const auto if_meant = [&] { where_traced(l, [&] { where_meant(l, if_predicate); }); };
    where_called(l, [&] { unless_stopped(l, if_meant); });
    // Other processes read a pinned iterator; they get no count.
    if (l.body.place.kind == ProbeKind::iter && objects(l.body.place).pin.empty())
        l.b.call(ir::Library::iterated, {ir::context(l.b)});
    l.finish(probe.span);
    rung.attachments = attachments(c, name, at_return);
}

void lower_body(Unit& unit, const Body& body) {
    BodyContext c(unit, body);
    const ast::ItemNode& node = c.program.items[c.body.item].node;
    if (const auto* span_node = std::get_if<ast::SpanAction>(&node); span_node && span_node->timeout) {
        if (c.number() == c.unit.typed.spans[c.body.span].opening) lower_timeout(c, *span_node->timeout);
    }
    PlannedProbe& probe =
        called_by_number(c.body.place) ? pattern_probe(c.unit, c.body) : planned_probe(c.unit, c.body.place);
    if (c.body.span != no_span) probe.of_span = c.body.span;
    if (c.unit.typed.sampled) {
        probe.collects_into = maps_of(c.body);
        probe.stays = c.body.span != no_span && is_asked_for(c.program, c.unit.typed, c.body.span);
        if (can_be_sampled(c.program, c.unit.typed, c.body)) {
            if (!probe.gate) probe.gate = new_gate(c.unit);
            c.gate = probe.gate;
        }
    }
    for (Rung& rung : probe.rungs) {
        if (!rung.refused.empty()) continue;
        if (c.body.host) rung.way = Way::host;
        std::vector<Attachment> others = std::exchange(rung.attachments, {});
        if (const auto* action_node = std::get_if<ast::Action>(&node)) lower_action(c, *action_node, probe, rung);
        if (const auto* span_node = std::get_if<ast::SpanAction>(&node)) lower_span(c, *span_node, rung);
        if (called_by_number(c.body.place)) call_by_number(c, std::move(others), rung);
    }
}

void lower_all(Unit& unit) {
    plan_settings(unit);
    plan_params(unit);
    plan_maps(unit);
    plan_spans(unit);
    follow_family(unit);
    end_thread_spans(unit);
    walk_open_spans(unit);
    make_adders(unit);
    // The close of a span is attached before its opening: an opening whose close is missed would be closed by a later
    // event.
    for (const Body& body : unit.typed.bodies) {
        if (body.role == Role::close) lower_body(unit, body);
    }
    watch_causes(unit);
    for (const Body& body : unit.typed.bodies) {
        if (body.role == Role::open && is_switch(body.place)) lower_body(unit, body);
    }
    watch_switches(unit);
    for (const Body& body : unit.typed.bodies) {
        if (body.role != Role::close && !(body.role == Role::open && is_switch(body.place))) lower_body(unit, body);
    }
    end_keyed_spans(unit);  // last: a close at the end of a thread must still find its opening
}

}  // namespace

// Which side runs a block determines how maps are stored. So everything is lowered again if a block that the dialect
// leaves to lt has to run in the kernel.
Lowered lower(const ast::Program& program, const Typed& typed, const Source& source, Diags& diags) {
    Diags found;
    Unit unit(program, typed, source, found);
    lower_all(unit);
    if (unit.kernel_bodies().empty()) {
        diags.take(std::move(found));
        return unit.take();
    }
    Typed again = typed;
    for (size_t body : unit.kernel_bodies()) again.bodies[body].host = false;
    return lower(program, again, source, diags);
}

}  // namespace lt
