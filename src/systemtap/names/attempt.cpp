// try and catch in a tree that people will read. lt's own language cannot catch errors: a division by zero and
// unreadable memory give 0 there. The handler of error() runs at the place of the call, in a loop that is left after
// it.
#include <vector>

#include "parser/tree/rewrite.h"
#include "systemtap/names/calls.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"

namespace lt::stp {
namespace {

// The calls of error() in a block, as far as a `break` leaves the block from there.
class Raises {
  public:
    Raises(const ast::Program& program, const ast::Block& block) : program_(program) { find(block, false); }

    std::vector<ast::StmtId> found;
    bool can_leave = true;  // and no other statement leaves a loop around the block

  private:
    void find(const ast::Block& block, bool in_loop) {
        for (ast::StmtId id : block.statements) {
            const ast::Stmt& s = program_[id];
            const auto* call = program_.call(id);
            if (call && call->name == "error" && call->arguments.size() == 1) {
                found.push_back(id);
                can_leave = can_leave && !in_loop;
            }
            if (std::holds_alternative<ast::Jump>(s.node) || std::holds_alternative<ast::Attempt>(s.node))
                can_leave = can_leave && in_loop;
            const bool is_loop =
                std::holds_alternative<ast::While>(s.node) || std::holds_alternative<ast::ForMap>(s.node);
            ast::each_block(s, [&](const ast::Block& inner) { find(inner, in_loop || is_loop); });
        }
    }

    const ast::Program& program_;
};

// while (1) { body; break }, where error(text) is { name = text; handler; break }.
void handle_in_place(Names& scope, ast::StmtId id, const ast::Attempt& node, const std::vector<ast::StmtId>& raises) {
    for (ast::StmtId raise : raises) {
        const Span where = scope.program[raise].span;
        const ast::ExprId message = scope.program.call(raise)->arguments[0];
        ast::Block handler = ast::clone(scope.program, node.handler);
        if (!node.name.empty()) {
            const size_t given = static_cast<size_t>(handler.statements.front());
            std::get<ast::Assign>(scope.program.stmts[given].node).value = message;
        }
        handler.statements.push_back(scope.program.add(where, ast::Jump{false}));
        scope.program.put(raise, ast::Scope{std::move(handler)});
    }
    const Span where = scope.program[id].span;
    ast::Block body = node.body;
    body.statements.push_back(scope.program.add(where, ast::Jump{false}));
    const ast::ExprId always = scope.program.add(where, ast::Integer{1});
    scope.program.put(id, ast::While{always, std::move(body)});
}

}  // namespace

void resolve_attempt(Names& scope, ast::StmtId id) {
    const auto node = std::get<ast::Attempt>(scope.program[id].node);
    const Raises raises(scope.program, node.body), handles(scope.program, node.handler);
    if (!raises.found.empty() && raises.can_leave && handles.can_leave && handles.found.empty()) {
        handle_in_place(scope, id, node, raises.found);
        return resolve_statement(scope, id);
    }
    const size_t before = scope.errors;
    resolve_block(scope, node.body);
    if (scope.errors != before) {
        const Span where = scope.program[id].span;
        scope.diags.error({where.begin, where.begin + 3}, "lt does not catch an error()").hint = "use an `if` instead";
    }
    scope.program.put(id, ast::Scope{node.body});
}

}  // namespace lt::stp
