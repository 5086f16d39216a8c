// Blocks and `if` that have a value: what stands last in them is known to be the value, or a statement, once it is seen
// what the block is a part of.
#include "build.h"

#include <algorithm>
#include <utility>

namespace lt {

// Does it end with a value, on each way through it?
bool Builder::ends_with_value(const std::vector<ast::StmtId>& statements) const {
    if (statements.empty()) return false;
    const ast::StmtNode& last = program_[statements.back()].node;
    if (const auto* value = std::get_if<ast::Evaluate>(&last)) return !value->discard;
    if (const auto* scope = std::get_if<ast::Scope>(&last)) return ends_with_value(scope->body.statements);
    const auto* choice = std::get_if<ast::If>(&last);
    return choice && ends_with_value(choice->yes.statements) && ends_with_value(choice->no.statements);
}

// Is what stands last in each of its blocks a call?
bool Builder::only_calls(const std::vector<ast::StmtId>& statements) const {
    const ast::StmtNode& last = program_[statements.back()].node;
    if (const auto* value = std::get_if<ast::Evaluate>(&last))
        return std::holds_alternative<ast::Call>(program_[value->value].node);
    if (const auto* scope = std::get_if<ast::Scope>(&last)) return only_calls(scope->body.statements);
    const auto& choice = std::get<ast::If>(last);
    return only_calls(choice.yes.statements) && only_calls(choice.no.statements);
}

// The value of a last statement: an expression, a block, or an `if` whose blocks have one.
ast::ExprId Builder::value_of(ast::StmtId statement) {
    const ast::Stmt last = program_[statement];
    if (const auto* value = std::get_if<ast::Evaluate>(&last.node)) return value->value;
    if (const auto* scope = std::get_if<ast::Scope>(&last.node)) return block_value(last.span, scope->body.statements);
    const auto& choice = std::get<ast::If>(last.node);
    return chosen(last.span, choice.condition, choice.yes, choice.no);
}

ast::ExprId Builder::chosen(Span span, ast::ExprId condition, const ast::Block& yes, const ast::Block& no) {
    const ast::ExprId first = block_value(span, yes.statements);
    if (!no.statements.empty()) return conditional(span, condition, first, block_value(span, no.statements));
    diags_.error(span, "an `if` in an expression has an `else`").hint = "write if (condition) { 1 } else { 0 }";
    return first;
}

ast::ExprId Builder::block_value(Span span, std::vector<ast::StmtId> statements) {
    ast::BlockValue node;
    if (!ends_with_value(statements)) {
        const bool is_empty = statements.empty();
        diags_.error(is_empty ? span : program_[statements.back()].span, "a block in an expression ends with a value")
            .hint = "write the value before its '}', without a ';'";
    } else {
        node.value = value_of(statements.back());
        statements.pop_back();
    }
    node.block.statements = std::move(statements);
    const uint32_t inside = std::max(depth_of(node.block), node.value ? depth_of(Exprs{*node.value}) : 0);
    const uint32_t depth = check_depth(span, inside + 1);
    expr_depths_.push_back(depth);
    if (depth == 0) return program_.add(span, ast::Integer{0});
    return program_.add(span, std::move(node));
}

// What stands last in these blocks is the value of nothing.
void Builder::settle(const std::vector<ast::StmtId>& statements) {
    if (statements.empty()) return;
    const ast::StmtNode last = program_[statements.back()].node;
    if (const auto* scope = std::get_if<ast::Scope>(&last)) return settle(scope->body.statements);
    if (std::holds_alternative<ast::Evaluate>(last)) used(statements.back());
    const auto* choice = std::get_if<ast::If>(&last);
    if (choice == nullptr) return;
    settle(choice->yes.statements);
    settle(choice->no.statements);
}

// Is it a call, or a choice among calls?
bool Builder::acts(ast::ExprId id) const {
    const auto* choice = std::get_if<ast::Conditional>(&program_[id].node);
    return choice ? acts(choice->yes) && acts(choice->no) : std::holds_alternative<ast::Call>(program_[id].node);
}

// `c ? f() : g()` alone is an `if`.
ast::StmtNode Builder::choice_of_calls(const ast::Conditional& node) {
    const auto one = [&](ast::ExprId call) { return ast::Block{{used(evaluate(program_[call].span, call))}}; };
    ast::Block yes = one(node.yes);
    return ast::If{node.condition, std::move(yes), one(node.no)};
}

}  // namespace lt
