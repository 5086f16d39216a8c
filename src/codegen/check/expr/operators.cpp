#include "codegen/check/expr/type_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/check/expr/address.h"
#include "codegen/check/expr/assume.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/expr/strings.h"
#include "codegen/check/map.h"
#include "codegen/typed/calls/names.h"
#include "codegen/typed/decided.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

bool is_duration(Type t) { return t.kind == Kind::integer && t.view == View::duration; }

bool is_logical(ast::BinaryOp op) { return op == ast::BinaryOp::logical_and || op == ast::BinaryOp::logical_or; }

// Is the result still an address in the same memory?
bool keeps_address(ast::BinaryOp op) {
    constexpr std::array rows{ast::BinaryOp::add, ast::BinaryOp::subtract, ast::BinaryOp::bit_and,
                              ast::BinaryOp::bit_or, ast::BinaryOp::bit_xor};
    return std::ranges::find(rows, op) != rows.end();
}

// Operations on durations. Anything else, except a comparison of two durations, is an error.
struct DurationRule {
    ast::BinaryOp op;
    bool left, right;  // is that side a duration?
    bool result;       // a duration; otherwise a plain integer
};
constexpr std::array duration_rules{
    DurationRule{ast::BinaryOp::add, true, true, true},       DurationRule{ast::BinaryOp::subtract, true, true, true},
    DurationRule{ast::BinaryOp::multiply, true, false, true}, DurationRule{ast::BinaryOp::multiply, false, true, true},
    DurationRule{ast::BinaryOp::divide, true, true, false},   DurationRule{ast::BinaryOp::divide, true, false, true},
    DurationRule{ast::BinaryOp::modulo, true, true, true},
};

// More than a block has room for: only a string that is joined to itself gets there.
constexpr uint32_t most_joined = 1 << 20;

Type duration_operation(CheckContext& c, ast::ExprId id, const ast::Binary& node, Type left, Type right) {
    const bool l = is_duration(left), r = is_duration(right);
    if (compares(node.op) && l && r) return c.truth();
    for (const DurationRule& rule : duration_rules) {
        if (rule.op == node.op && rule.left == l && rule.right == r)
            return rule.result ? duration_type() : integer_type();
    }
    if (l && r) {
        c.error(id, fmt::format("two durations cannot be used with `{}`", spelling(node.op))).hint =
            "divide by a unit for a plain integer: `latency / 1us`";
        return nothing();
    }
    const ast::ExprId plain = l ? node.right : node.left;
    Diag& d = c.error(
        plain, fmt::format("`{}` has a duration on one side and a plain integer on the other", spelling(node.op)));
    const auto* n = std::get_if<ast::Integer>(&c.expr(plain).node);
    d.hint = n ? fmt::format("give the number a unit: {0}ns, {0}us, {0}ms or {0}s", n->value)
               : "make it a duration, `(...) * 1ns`, or make the other a number, `latency / 1ns`";
    return nothing();
}

// A variable or map that held a truth value and is counted up or down becomes a number.
Type counted_truth(CheckContext& c, ast::ExprId target) {
    if (const auto* map = std::get_if<MapUse>(&c.use(target)))
        merge_value(c, map->index, integer_type(), c.span(target));
    const auto* local = std::get_if<LocalUse>(&c.use(target));
    if (local == nullptr) return integer_type();
    LocalInfo& info = c.body.locals[local->index];
    if (!info.has_type) info.type = integer_type();
    return info.type;
}

// Do both sides have the same type as copies? Then they get the layout, which says where the padding is.
bool same_layouts(CheckContext& c, const ast::Binary& node) {
    const Type left = kept_type(c, node.left, c.type(node.left)), right = kept_type(c, node.right, c.type(node.right));
    if (apart(left, right)) return false;
    c.type(node.left).shape = left.shape;
    c.type(node.right).shape = right.shape;
    return true;
}

}  // namespace

Type type_of(CheckContext& c, ast::ExprId id, const ast::Unary& node) {
    const Type t = check_value(c, node.operand);
    if (t.kind == Kind::none) return t;
    if (node.op == ast::UnaryOp::address) return address_of(c, id, node.operand, t);
    if (t.kind != Kind::integer) {
        c.error(id, fmt::format("`{}` takes an integer, not {}", spelling(node.op), type_name(t)));
        return nothing();
    }
    switch (node.op) {
        case ast::UnaryOp::minus:
            return integer_type(8, true, t.view == View::duration || t.view == View::hex ? t.view : View::plain);
        case ast::UnaryOp::logical_not:
            return c.truth();
        case ast::UnaryOp::bit_not:
            return integer_type(8, t.is_signed || t.view == View::boolean);
        case ast::UnaryOp::dereference:
            return dereferenced(c, id, t);
        case ast::UnaryOp::address:
            break;
    }
    return nothing();
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Binary& node) {
    const Type l = check_value(c, node.left), r = check_value(c, node.right);
    const bool joins = node.op == ast::BinaryOp::add && (l.kind == Kind::string || r.kind == Kind::string);
    // A string that is joined to itself gets its type from the other side.
    if (joins && (c.settings().bounded_strings || c.typed.strings_grow) &&
        (l.kind == Kind::none || r.kind == Kind::none))
        return string_type(c.settings().max_strlen);
    if (l.kind == Kind::none || r.kind == Kind::none) {
        const bool is_sum = c.typed.assume_sums && !compares(node.op) && !is_logical(node.op);
        const bool beside_number = l.kind == Kind::integer || r.kind == Kind::integer;
        return is_sum && beside_number ? integer_type() : nothing();
    }
    const bool equality = node.op == ast::BinaryOp::equal || node.op == ast::BinaryOp::not_equal;
    const auto text_and_name = [](const Type& text, const Type& name) {
        return text.kind == Kind::string && name.kind != Kind::string && name_size(name) != 0;
    };
    if (equality && (text_and_name(l, r) || text_and_name(r, l))) return c.truth();
    if (l.kind != r.kind) {
        c.error(id,
                fmt::format("{} and {} cannot be combined with `{}`", type_name(l), type_name(r), spelling(node.op)))
            .hint = hint_of_names(l, r);
        return nothing();
    }
    if (l.kind == Kind::string) {
        if (compares(node.op)) return c.truth();
        if (joins) {
            const uint32_t all = letters(c, node.left) + letters(c, node.right) + 1;
            if (all > most_joined) c.typed.strings_grow = true;
            return string_made_of(c, {node.left, node.right}, all);
        }
        c.error(id, fmt::format("strings cannot be used with `{}`", spelling(node.op))).hint =
            "`==`, `!=`, `<`, `<=`, `>` and `>=` compare strings, `+` joins them";
        return nothing();
    }
    if (in_memory(l) && l.kind != Kind::stack) {
        if (equality && same_layouts(c, node)) return c.truth();
        c.error(id, fmt::format("{} and {} cannot be used with `{}`", type_text(l), type_text(r), spelling(node.op)))
            .hint = "`==` and `!=` compare values of the same type";
        return nothing();
    }
    if (l.kind == Kind::stack) {
        c.error(id, fmt::format("stacks cannot be used with `{}`", spelling(node.op))).hint =
            "to count each stack separately, use it as a key: `@[kstack] = count()`";
        return nothing();
    }
    if (is_logical(node.op)) return c.truth();
    if (is_duration(l) || is_duration(r)) return duration_operation(c, id, node, l, r);
    if (compares(node.op)) return c.truth();
    const bool sum = node.op == ast::BinaryOp::add || node.op == ast::BinaryOp::subtract;
    for (const Type* side : {&l, &r})
        if (sum && pointee(*side)) assume_size(c, *pointee(*side));
    if (sum && pointee(l) && !pointee(r)) return l;
    if (node.op == ast::BinaryOp::add && pointee(r)) return r;
    const bool is_signed = signed_operation(c.program, c.body, node);
    Type type = integer_type(8, is_signed || node.op == ast::BinaryOp::subtract);
    type.user_memory = keeps_address(node.op) && (l.user_memory || r.user_memory);
    return type;
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Conditional& node) {
    check_condition(c, node.condition, "a condition");
    if (const auto known = decided(c.program, c.body, node.condition))
        return check_value(c, *known ? node.yes : node.no);
    const Type a = check_value(c, node.yes), b = check_value(c, node.no);
    if (a.kind == Kind::none || b.kind == Kind::none) return nothing();
    if (a.kind != b.kind || is_duration(a) != is_duration(b)) {
        c.error(id, fmt::format("one side is {}, the other {}", type_name(a), type_name(b))).hint = hint_of_names(a, b);
        return nothing();
    }
    if (a.kind == Kind::string) return string_type(std::max(a.size, b.size));
    if (in_memory(a)) {
        if (!apart(a, b) && !names_differ(a, b)) return joined(a, b);
        c.error(id, fmt::format("one side is {}, the other {}", type_text(a), type_text(b)));
        return nothing();
    }
    if (a == b) return a;
    if (names_differ(a, b)) {
        c.error(id, fmt::format("one side is {}, the other {}", type_name(a), type_name(b))).hint = hint_of_names(a, b);
        return nothing();
    }
    if (a.view == View::enumeration && b.view == View::enumeration)
        return joined(kept_type(c, node.yes, a), kept_type(c, node.no, b));
    Type type = integer_type(8, a.is_signed || b.is_signed, a.view == b.view ? a.view : View::plain);
    if (const Type* address = pointee(a) && !pointee(b) ? &a : !pointee(a) && pointee(b) ? &b : nullptr)
        type = *address;  // $p ? $p : 0
    type.user_memory = user_memory_of(a, b);
    return type;
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Step& node) {
    if (const auto* map = std::get_if<ast::Map>(&c.expr(node.target).node)) {
        const uint32_t index = map_at(c, node.target, *map, false);
        c.maps[index].written = true;
        const Kind held = c.maps[index].value.kind;
        if (held == Kind::none || held == Kind::aggregation) merge_value(c, index, integer_type(), c.span(node.target));
        if (held == Kind::aggregation) return nothing();  // merging has reported an error
    }
    const Type t = check_value(c, node.target);
    if (t.kind == Kind::integer && t.view == View::boolean) return counted_truth(c, node.target);
    if (pointee(t)) assume_size(c, *pointee(t));
    if (t.kind == Kind::none || t.kind == Kind::integer) return t;
    c.error(id, fmt::format("`{0}{0}` takes an integer, not {1}", spelling(node.op), type_name(t)));
    return nothing();
}

}  // namespace lt
