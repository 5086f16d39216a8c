#include "codegen/check/body.h"

#include <utility>

#include "codegen/check/expr/expr.h"
#include "codegen/check/span.h"
#include "codegen/check/statement.h"
#include "codegen/typed/host.h"

namespace lt {
namespace {

// True if lt can do more with maps than a program on this kernel.
bool wants_host(const CheckContext& c, const ast::ItemNode& node) {
    const auto* action = std::get_if<ast::Action>(&node);
    const bool can_less = !c.typed.abilities.map_walk || !c.typed.abilities.cpu_lookup;
    return c.settings().reports_on_host || can_less || (action && empties_what_it_uses(c.program, action->body));
}

// Forgets the last round. Most of a program's expressions are those of other bodies, and know nothing already.
void begin_round(CheckContext& c) {
    c.body.types.resize(c.program.exprs.size(), nothing());
    for (Type& type : c.body.types) {
        if (type.kind != Kind::none || type.shape) type = nothing();
    }
    c.body.uses.resize(c.program.exprs.size());
    for (Use& use : c.body.uses) {
        if (!std::holds_alternative<std::monostate>(use)) use = std::monostate{};
    }
    c.body.declared.assign(c.program.stmts.size(), 0);
    c.before = std::exchange(c.body.locals, {});
}

}  // namespace

void check_body(CheckContext& c) {
    begin_round(c);
    const ast::ItemNode& node = c.program.items[c.body.item].node;
    c.body.host = c.body.host || (host_possible(c.place()) && wants_host(c, node));
    if (const auto* span_action = std::get_if<ast::SpanAction>(&node)) return check_span(c, *span_action);
    const auto& action = std::get<ast::Action>(node);
    if (action.predicate) {
        c.region = Region::predicate;
        check_condition(c, *action.predicate, "a predicate");
    }
    c.region = Region::body;
    check_block(c, action.body);
}

bool require_host(CheckContext& c, Span where) {
    if (host_possible(c.place()) && c.region == Region::body) {
        c.body.host = c.body.only_host = true;
        return true;
    }
    c.error(where, "only lt itself can do this, but here the kernel runs the program").hint =
        "do it in a `BEGIN`, `END`, `interval:` or `self:` probe";
    return false;
}

}  // namespace lt
