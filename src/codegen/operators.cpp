#include "operators.h"

#include <algorithm>

namespace lt {

bool signed_operation(const ast::Program& program, const Body& body, const ast::Binary& node) {
    const auto literal = [&](ast::ExprId e) { return std::holds_alternative<ast::Integer>(program[e].node); };
    const auto is_signed = [&](ast::ExprId e) { return body.types[static_cast<uint32_t>(e)].is_signed; };
    const bool shift = node.op == ast::BinaryOp::shift_left || node.op == ast::BinaryOp::shift_right;
    if (shift || literal(node.right)) return is_signed(node.left);
    if (literal(node.left)) return is_signed(node.right);
    return is_signed(node.left) || is_signed(node.right);
}

size_t same_part(const Type& tuple, const Type& other, size_t i) {
    const auto& names = tuple.shape->names;
    if (names.empty() || other.shape->names.empty()) return i;
    return static_cast<size_t>(std::ranges::find(names, other.shape->names[i]) - names.begin());
}

bool apart(const Type& a, const Type& b) {
    if (a.kind != b.kind) return true;
    if (a.kind == Kind::structure || a.kind == Kind::array) return a != b;
    if (a.kind != Kind::tuple) return false;
    const size_t count = a.shape->parts.size();
    if (b.shape->parts.size() != count || !std::ranges::is_permutation(a.shape->names, b.shape->names)) return true;
    for (size_t i = 0; i < count; i++)
        if (apart(a.shape->parts[i], b.shape->parts[same_part(b, a, i)])) return true;
    return false;
}

Type joined(const Type& a, const Type& b) {
    if (a.kind == Kind::string) return string_type(std::max(a.size, b.size));
    if (a == b) return a;
    if (a.kind == Kind::tuple) {
        std::vector<Type> parts;
        for (size_t i = 0; i < a.shape->parts.size(); i++)
            parts.push_back(joined(a.shape->parts[i], b.shape->parts[same_part(b, a, i)]));
        return tuple_type(std::move(parts), a.shape->names);
    }
    Type out = a;
    if (a.kind == Kind::buffer) out.size = std::max(a.size, b.size);
    if (a.shape != b.shape) out.shape = {};
    out.is_signed = a.is_signed || b.is_signed;
    if (a.view != b.view) out.view = View::plain;
    if (a.naming != b.naming) out.naming = Naming::none;
    return out;
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
