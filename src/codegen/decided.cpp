#include "decided.h"

namespace lt {

std::optional<bool> decided(const ast::Program& program, const Body& body, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (std::holds_alternative<ast::Defined>(node))
        return std::get<ConstantUse>(body.uses[static_cast<size_t>(id)]).value != 0;
    if (const auto* unary = std::get_if<ast::Unary>(&node); unary && unary->op == ast::UnaryOp::logical_not) {
        const auto inner = decided(program, body, unary->operand);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    const auto* binary = std::get_if<ast::Binary>(&node);
    if (!binary) return {};
    const bool is_and = binary->op == ast::BinaryOp::logical_and;
    if (!is_and && binary->op != ast::BinaryOp::logical_or) return {};
    const auto left = decided(program, body, binary->left), right = decided(program, body, binary->right);
    if (left && right) return is_and ? *left && *right : *left || *right;
    if ((left && *left != is_and) || (right && *right != is_and)) return !is_and;
    return {};
}

}  // namespace lt
