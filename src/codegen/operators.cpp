#include "operators.h"

namespace lt {

bool signed_operation(const ast::Program& program, const Body& body, const ast::Binary& node) {
    const auto literal = [&](ast::ExprId e) { return std::holds_alternative<ast::Integer>(program[e].node); };
    const auto is_signed = [&](ast::ExprId e) { return body.types[static_cast<uint32_t>(e)].is_signed; };
    const bool shift = node.op == ast::BinaryOp::shift_left || node.op == ast::BinaryOp::shift_right;
    if (shift || literal(node.right)) return is_signed(node.left);
    if (literal(node.left)) return is_signed(node.right);
    return is_signed(node.left) || is_signed(node.right);
}

std::optional<int64_t> number_as_it_stands(const ast::Program& program, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* number = std::get_if<ast::Integer>(&node)) return static_cast<int64_t>(number->value);
    if (const auto* duration = std::get_if<ast::Duration>(&node)) return duration->nanoseconds;
    const auto* unary = std::get_if<ast::Unary>(&node);
    if (unary == nullptr || unary->op != ast::UnaryOp::minus) return {};
    const auto positive = number_as_it_stands(program, unary->operand);
    return positive ? std::optional(-*positive) : std::nullopt;
}

}  // namespace lt
