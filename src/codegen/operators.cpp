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

}  // namespace lt
