#include "codegen/typed/operators.h"

#include <algorithm>
#include <array>

#include "base/literal.h"
#include "base/rows.h"
#include "codegen/typed/decided.h"

namespace lt {
namespace {

// Operations whose result depends on the signs of both sides.
constexpr std::array ordered{ast::BinaryOp::divide,     ast::BinaryOp::modulo,  ast::BinaryOp::less,
                             ast::BinaryOp::less_equal, ast::BinaryOp::greater, ast::BinaryOp::greater_equal};

}  // namespace

bool signed_operation(const ast::Program& program, const Body& body, const ast::Binary& node) {
    const bool needs_both = program.settings.unsigned_if_mixed && std::ranges::find(ordered, node.op) != ordered.end();
    const auto fits_both = [&](ast::ExprId e) {
        if (const auto* number = program.get<ast::Integer>(e)) return number->value <= INT64_MAX;
        return needs_both && known_value(program, body, e).value_or(-1) >= 0;  // sizeof(), enumerators
    };
    const auto is_signed = [&](ast::ExprId e) { return body.types[static_cast<uint32_t>(e)].is_signed; };
    const bool shift = node.op == ast::BinaryOp::shift_left || node.op == ast::BinaryOp::shift_right;
    if (shift || fits_both(node.right)) return is_signed(node.left);
    if (fits_both(node.left)) return is_signed(node.right);
    const bool left = is_signed(node.left), right = is_signed(node.right);
    return needs_both ? left && right : left || right;
}

bool signed_operation(const ast::Program& program, const Body& body, const ast::Assign& node, const Type& target) {
    const bool is_signed = signed_operation(program, body, ast::Binary{*node.op, node.target, node.value});
    return is_signed && (target.is_signed || !program.settings.unsigned_if_mixed);
}

size_t same_part(const Type& tuple, const Type& other, size_t i) {
    const auto& names = tuple.shape->names;
    if (names.empty() || other.shape->names.empty()) return i;
    return static_cast<size_t>(std::ranges::find(names, other.shape->names[i]) - names.begin());
}

bool apart(const Type& a, const Type& b) {
    if (a.kind != b.kind) return true;
    if (const Type *x = element(a), *y = element(b); x && y) {  // user or kernel memory does not matter
        const bool integers = x->kind == Kind::integer && y->kind == Kind::integer;
        const bool alike = integers && x->size == y->size && x->is_signed == y->is_signed && x->shape == y->shape;
        return a.size != b.size || (!alike && apart(*x, *y)) || (integers && !alike);
    }
    if (a.kind == Kind::structure) {
        Type other = b;
        other.user_memory = a.user_memory;
        return a != other;
    }
    if (a.kind != Kind::tuple) return false;
    const size_t count = a.shape->parts.size();
    if (b.shape->parts.size() != count || !std::ranges::is_permutation(a.shape->names, b.shape->names)) return true;
    for (size_t i = 0; i < count; i++)
        if (apart(a.shape->parts[i], b.shape->parts[same_part(b, a, i)])) return true;
    return false;
}

bool user_memory_of(const Type& a, const Type& b) {
    const auto may_be = [](const Type& t) { return t.user_memory || !pointee(t); };
    return (a.user_memory && may_be(b)) || (b.user_memory && may_be(a));
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
    if (element(a)) return element(b)->user_memory ? b : a;
    Type out = a;
    if (a.kind == Kind::buffer) out.size = std::max(a.size, b.size);
    if (a.shape != b.shape) out.shape = {};
    if (!out.shape && out.view == View::enumeration) out.view = View::plain;  // of different enumerations: a number
    out.is_signed = a.is_signed || b.is_signed;
    if (a.view != b.view) out.view = View::plain;
    if (a.naming != b.naming) out.naming = Naming::none;
    out.user_memory = user_memory_of(a, b);
    return out;
}

// Strings that the language builds end with a zero byte; an array of char in memory, and a copy of it, may not.
uint32_t most_letters(const ast::Program& program, const Body& body, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    const auto* call = std::get_if<ast::Call>(&node);
    const bool passes_on = call && call->arguments.size() == 1 &&
                           body.types[static_cast<size_t>(call->arguments[0])].kind == Kind::string;  // str(args.name)
    const bool ends = (call && !passes_on) || std::holds_alternative<ast::String>(node) ||
                      std::holds_alternative<ast::Name>(node) || std::holds_alternative<ast::Binary>(node);
    return body.types[static_cast<size_t>(id)].size - (ends ? 1 : 0);
}

bool has_open_end(const ast::Program& program, const Body& body, ast::ExprId id) {
    const auto type_at = [&](ast::ExprId e) -> const Type& { return body.types[static_cast<size_t>(e)]; };
    if (type_at(id).kind != Kind::string) return false;
    const Use& use = body.uses[static_cast<size_t>(id)];
    if (const auto* field = std::get_if<FieldUse>(&use)) return field->field.data_location;
    if (const auto* from = std::get_if<SourceUse>(&use))
        return from->source.field.data_location && from->source.is_memory();
    const auto* node = program.get<ast::Member>(id);
    const auto* of = std::get_if<MemberUse>(&use);
    if (node == nullptr || of == nullptr) return false;
    const Type* to = pointee(type_at(node->base));
    const Type& owner = to ? *to : type_at(node->base);
    return owner.kind == Kind::structure && uint64_t{of->member.offset} + of->member.type.size > owner.size;
}

int64_t element_size(const Type& type) {
    if (type.kind == Kind::string) return 1;
    const Type* each = pointee(type) ? pointee(type) : element(type);
    return each ? std::max<int64_t>(each->size, 1) : 1;
}

std::optional<int64_t> number_as_it_stands(const ast::Program& program, ast::ExprId id) {
    if (const auto* duration = program.get<ast::Duration>(id)) return duration->nanoseconds;
    const auto* minus = program.get<ast::Unary>(id);
    if (minus == nullptr || minus->op != ast::UnaryOp::minus) return ast::literal_integer(program, id);
    const auto inner = number_as_it_stands(program, minus->operand);
    return inner ? std::optional(negated(*inner)) : std::nullopt;
}

bool is_folded(const Type& t) {
    constexpr std::array folded{Aggregation::count, Aggregation::sum, Aggregation::min, Aggregation::max,
                                Aggregation::avg};
    return contains(folded, t.aggregation);
}

bool is_key_of_parts(const Type& key) {
    if (key.kind != Kind::tuple || key.naming != Naming::none) return false;
    return key.shape->names.empty() && !key.shape->parts.empty();
}

bool names_differ(const Type& a, const Type& b) {
    if (a.kind != b.kind || a.kind == Kind::aggregation) return false;
    if (a.naming != b.naming) return true;
    if (a.naming == Naming::why) return false;
    if (a.naming != Naming::none) return a.shape != b.shape;
    if (a.kind != Kind::tuple || !a.shape || !b.shape || a.shape->parts.size() != b.shape->parts.size()) return false;
    for (size_t i = 0; i < a.shape->parts.size(); i++)
        if (names_differ(a.shape->parts[i], b.shape->parts[same_part(b, a, i)])) return true;
    return false;
}

bool units_differ(const Type& a, const Type& b) {
    return a.kind == Kind::integer && (a.view == View::duration) != (b.view == View::duration);
}

}  // namespace lt
