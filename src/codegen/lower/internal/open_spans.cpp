#include <algorithm>

#include "codegen/ir/builder.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/internal/internal.h"
#include "codegen/lower/plan/plan.h"

namespace lt {
namespace {

// Only generated if the script uses it: the program costs more to load than a span.
bool asks_what_is_open(const ast::Program& program, const Typed& typed) {
    const auto waits = [&](const SpanInfo& info) {
        return std::get<ast::SpanAction>(program.items[info.item].node).timeout.has_value();
    };
    const auto prints = [&](const Body& body) {
        for (const ast::Expr& expr : program.exprs) {
            const auto* call = std::get_if<ast::Call>(&expr.node);
            if (!call || call->name != function_row(Function::print).name || call->arguments.empty()) continue;
            if (std::holds_alternative<SpanUse>(body.uses[static_cast<size_t>(call->arguments[0])])) return true;
        }
        return false;
    };
    return typed.accounts || std::any_of(typed.spans.begin(), typed.spans.end(), waits) ||
           std::any_of(typed.bodies.begin(), typed.bodies.end(), prints);
}

}  // namespace

void walk_open_spans(Unit& unit) {
    if (!asks_what_is_open(unit.program, unit.typed)) return;
    ir::Function* f = nullptr;
    for (uint32_t i = 0; i < unit.spans(); i++) {
        if (unit.span(i).state != SpanState::task) continue;
        if (!f) {
            f = &unit.function("walk");
            f->way = Way::walk;
            Attachment a;
            a.program = f->name;
            internal_probe(unit, "what is open").rungs = {{Way::walk, "", {a}}};
            unit.plan().walk = f->name;
        }
        Builder b(*f);
        const uint32_t scratch = unit.shared_map({"lt_scratch", ir::Storage::per_cpu_array, 4, walk_stack, 1, false});
        const ir::Value room = b.find(scratch, b.text(unit.zeros(4)));
        b.branch(room, [&] {
            b.call(ir::Library::walk, {ir::context(b), b.map(unit.layout(i).map), b.constant(unit.span(i).opening_size),
                                       b.constant(unit.span(i).depth), b.constant(i), room, b.constant(walk_stack)});
        });
    }
}

}  // namespace lt
