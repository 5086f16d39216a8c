// @defined, as far as it is known before the kernel is asked: what it guards may name what is not there.
#include <fmt/format.h>

#include "stp_names.h"

namespace lt::stp {

// Where what @defined asks of is known not to be there, the branch that asks for it may name it.
bool NameResolver::is_dead_branch(ast::StmtId id, const ast::If& branch) {
    if (!asks_defined(branch.condition)) return false;
    // if (a && b) is if (a) if (b): what a leaves out is not looked at
    const auto* both = std::get_if<ast::Binary>(&node(branch.condition));
    if (both != nullptr && both->op == ast::BinaryOp::logical_and && branch.no.statements.empty()) {
        const ast::Binary parts = *both;
        const ast::StmtId inner = program_.add(span(parts.right), ast::If{parts.right, branch.yes, {}});
        program_.stmts[static_cast<size_t>(id)].node = ast::If{parts.left, {{inner}}, {}};
        statement(id);
        return true;
    }
    expr(branch.condition);
    const auto* known = std::get_if<ast::Integer>(&node(branch.condition));
    if (known == nullptr) {
        block(branch.yes);
        block(branch.no);
        return true;
    }
    const ast::Block taken = known->value != 0 ? branch.yes : branch.no;
    block(taken);
    program_.stmts[static_cast<size_t>(id)].node = ast::Scope{taken};
    return true;
}

bool NameResolver::asks_defined(ast::ExprId id) const {
    const auto* call = std::get_if<ast::Call>(&node(id));
    bool found = call != nullptr && call->name == "@defined";
    ast::each_child(program_[id], [&](ast::ExprId child) { found = found || asks_defined(child); });
    return found;
}

// a ? b : c, a && b, a || b, !a: what @defined leaves no doubt about is decided here; else the right side is one that
// may not be there, too.
bool NameResolver::decided_by_defined(ast::ExprId id) {
    const ast::ExprNode copy = node(id);
    const auto* choice = std::get_if<ast::Conditional>(&copy);
    const auto* both = std::get_if<ast::Binary>(&copy);
    const auto* unary = std::get_if<ast::Unary>(&copy);
    const bool is_and = both != nullptr && both->op == ast::BinaryOp::logical_and;
    const bool is_or = both != nullptr && both->op == ast::BinaryOp::logical_or;
    const bool is_not = unary != nullptr && unary->op == ast::UnaryOp::logical_not;
    if (choice == nullptr && !is_and && !is_or && !is_not) return false;
    const ast::ExprId first = choice != nullptr ? choice->condition : is_not ? unary->operand : both->left;
    if (!asks_defined(first)) return false;
    expr(first);
    const auto* known = std::get_if<ast::Integer>(&node(first));
    const auto become = [&](ast::ExprId other) {
        expr(other);
        put(id, node(other));
    };
    if (is_not) {
        if (known != nullptr) put(id, ast::Integer{known->value == 0});
        return true;
    }
    if (choice != nullptr) {
        if (known != nullptr) return become(known->value != 0 ? choice->yes : choice->no), true;
        return expr(choice->yes), expr(choice->no), true;
    }
    if (known != nullptr && (known->value != 0) == is_or) return put(id, ast::Integer{is_or}), true;
    expr(both->right);
    const ast::ExprId nothing = add(id, ast::Integer{0}), one = add(id, ast::Integer{1});
    const ast::ExprId truth = add(id, ast::Binary{ast::BinaryOp::not_equal, both->right, nothing});
    if (known != nullptr) return put(id, node(truth)), true;
    const ast::ExprId otherwise = add(id, ast::Integer{0});
    put(id, is_and ? ast::Conditional{first, truth, otherwise} : ast::Conditional{first, one, truth});
    return true;
}

}  // namespace lt::stp
