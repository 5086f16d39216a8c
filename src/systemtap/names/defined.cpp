// @defined, as far as it is known before asking the kernel: the code that it guards may name what does not exist.

#include "systemtap/names/effects.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"

namespace lt::stp {
namespace {

bool asks_defined(const Names& scope, ast::ExprId id) {
    return ast::any_expr_in(scope.program, id,
                            [&](ast::ExprId e) { return scope.program.is<ast::Call>(e, "@defined"); });
}

}  // namespace

// A branch guarded by a @defined that is known to be false may use its names.
bool is_dead_branch(Names& scope, ast::StmtId id, const ast::If& branch) {
    if (!asks_defined(scope, branch.condition)) return false;
    // if (a && b) is if (a) if (b): if a is false, b is not checked
    const auto* both = scope.get<ast::Binary>(branch.condition);
    if (both != nullptr && both->op == ast::BinaryOp::logical_and && branch.no.statements.empty()) {
        const ast::Binary parts = *both;
        const ast::StmtId inner = scope.add(parts.right, ast::If{parts.right, branch.yes, {}});
        scope.program.put(id, ast::If{parts.left, {{inner}}, {}});
        resolve_statement(scope, id);
        return true;
    }
    resolve_expr(scope, branch.condition);
    const auto* known = scope.get<ast::Integer>(branch.condition);
    if (known == nullptr) {
        resolve_block(scope, branch.yes);
        resolve_block(scope, branch.no);
        return true;
    }
    const ast::Block taken = known->value != 0 ? branch.yes : branch.no;
    resolve_block(scope, taken);
    scope.program.put(id, ast::Scope{taken});
    return true;
}

// a ? b : c, a && b, a || b, !a: decides here if @defined is certain; otherwise the right side may have names that do
// not exist.
bool decided_by_defined(Names& scope, ast::ExprId id) {
    const ast::ExprNode copy = scope.node(id);
    const auto* choice = std::get_if<ast::Conditional>(&copy);
    const auto* both = std::get_if<ast::Binary>(&copy);
    const auto* unary = std::get_if<ast::Unary>(&copy);
    const bool is_and = both != nullptr && both->op == ast::BinaryOp::logical_and;
    const bool is_or = both != nullptr && both->op == ast::BinaryOp::logical_or;
    const bool is_not = unary != nullptr && unary->op == ast::UnaryOp::logical_not;
    if (choice == nullptr && !is_and && !is_or && !is_not) return false;
    const ast::ExprId first = choice != nullptr ? choice->condition : is_not ? unary->operand : both->left;
    if (!asks_defined(scope, first)) return false;
    resolve_expr(scope, first);
    const auto* known = scope.get<ast::Integer>(first);
    const auto become = [&](ast::ExprId other) {
        resolve_expr(scope, other);
        scope.put(id, scope.node(other));
    };
    if (is_not) {
        if (known != nullptr) scope.put(id, ast::Integer{known->value == 0});
        return true;
    }
    if (choice != nullptr) {
        if (known != nullptr) return become(known->value != 0 ? choice->yes : choice->no), true;
        return resolve_expr(scope, choice->yes), resolve_expr(scope, choice->no), true;
    }
    if (known != nullptr && (known->value != 0) == is_or) return scope.put(id, ast::Integer{is_or}), true;
    resolve_expr(scope, both->right);
    const ast::ExprId nothing = scope.add(id, ast::Integer{0}), one = scope.add(id, ast::Integer{1});
    const ast::ExprId truth = scope.add(id, ast::Binary{ast::BinaryOp::not_equal, both->right, nothing});
    if (known != nullptr) return scope.put(id, scope.node(truth)), true;
    const ast::ExprId otherwise = scope.add(id, ast::Integer{0});
    scope.put(id, is_and ? ast::Conditional{first, truth, otherwise} : ast::Conditional{first, one, truth});
    return true;
}

}  // namespace lt::stp
