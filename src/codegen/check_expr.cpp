// Types of expressions: names by their rows, operators by C's rules on 64-bit integers, durations by a table of their
// own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "calls.h"
#include "check.h"
#include "decided.h"
#include "operators.h"

namespace lt {
namespace {

// args.0: the arguments of a system call by their numbers, behind the call's own.
std::vector<Field>::const_iterator numbered(const std::vector<Field>& fields, std::string_view number) {
    size_t n = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
    const auto first = std::ranges::find(fields, syscall_number, &Field::name);
    if (error != std::errc{} || end != number.data() + number.size() || first == fields.end()) return fields.end();
    return n < static_cast<size_t>(fields.end() - first) - 1 ? first + 1 + static_cast<ptrdiff_t>(n) : fields.end();
}

bool is_duration(Type t) { return t.kind == Kind::integer && t.view == View::duration; }

bool is_comparison(ast::BinaryOp op) {
    switch (op) {
        case ast::BinaryOp::equal:
        case ast::BinaryOp::not_equal:
        case ast::BinaryOp::less:
        case ast::BinaryOp::less_equal:
        case ast::BinaryOp::greater:
        case ast::BinaryOp::greater_equal:
            return true;
        case ast::BinaryOp::add:
        case ast::BinaryOp::subtract:
        case ast::BinaryOp::multiply:
        case ast::BinaryOp::divide:
        case ast::BinaryOp::modulo:
        case ast::BinaryOp::shift_left:
        case ast::BinaryOp::shift_right:
        case ast::BinaryOp::bit_and:
        case ast::BinaryOp::bit_or:
        case ast::BinaryOp::bit_xor:
        case ast::BinaryOp::logical_and:
        case ast::BinaryOp::logical_or:
            return false;
    }
    return false;
}

bool is_logical(ast::BinaryOp op) { return op == ast::BinaryOp::logical_and || op == ast::BinaryOp::logical_or; }

// Does it come from a variable or a map?
bool is_kept(const ast::Program& program, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* sum = std::get_if<ast::Binary>(&node))
        return is_kept(program, sum->left) || is_kept(program, sum->right);
    if (const auto* member = std::get_if<ast::Member>(&node)) return is_kept(program, member->base);
    if (const auto* part = std::get_if<ast::Index>(&node)) return is_kept(program, part->base);
    return std::holds_alternative<ast::Local>(node) || std::holds_alternative<ast::Map>(node);
}

// Is an address with this done to it still one of the same memory?
bool keeps_address(ast::BinaryOp op) {
    constexpr std::array rows{ast::BinaryOp::add, ast::BinaryOp::subtract, ast::BinaryOp::bit_and,
                              ast::BinaryOp::bit_or, ast::BinaryOp::bit_xor};
    return std::ranges::find(rows, op) != rows.end();
}

// What may be done with durations. Everything that is not here, and is no comparison of two of them, is refused.
struct DurationRule {
    ast::BinaryOp op;
    bool left, right;  // is that side a duration?
    bool result;       // a duration, or else a plain integer
};
constexpr std::array duration_rules{
    DurationRule{ast::BinaryOp::add, true, true, true},       DurationRule{ast::BinaryOp::subtract, true, true, true},
    DurationRule{ast::BinaryOp::multiply, true, false, true}, DurationRule{ast::BinaryOp::multiply, false, true, true},
    DurationRule{ast::BinaryOp::divide, true, true, false},   DurationRule{ast::BinaryOp::divide, true, false, true},
    DurationRule{ast::BinaryOp::modulo, true, true, true},
};

}  // namespace

Type BodyChecker::value(ast::ExprId id) {
    const size_t before = diags_.all().size();
    const Type t = expression(id);
    const bool said = diags_.all().size() != before;
    if (t.kind == Kind::none && !said) {
        if (const FunctionRow* row = aggregation_of(id)) {
            diags_.error(span(id), fmt::format("{}() can only be assigned to a map", row->name)).hint =
                fmt::format("write `@name = {}`", signature(*row));
        } else if (std::holds_alternative<ast::Call>(program_[id].node) ||
                   std::holds_alternative<ast::BlockValue>(program_[id].node)) {
            diags_.error(span(id), "this function has no value");
        }
    }
    if (is_folded(t) && std::holds_alternative<ast::Map>(program_[id].node)) {
        slot(id) = integer_type(8, t.is_signed, t.view);
        return slot(id);
    }
    if (t.kind == Kind::aggregation) {
        diags_.error(span(id), fmt::format("what {} collects cannot be used in an expression yet", type_name(t))).hint =
            "print it: print(@name), or print(@name[key]) of one key";
        return nothing();
    }
    return t;
}

Type BodyChecker::expression(ast::ExprId id) {
    const Type t = std::visit([&](const auto& node) { return type_of(id, node); }, program_[id].node);
    slot(id) = t;
    return t;
}

Type BodyChecker::type_of(ast::ExprId, const ast::Integer& node) { return integer_type(8, node.value <= INT64_MAX); }

Type BodyChecker::type_of(ast::ExprId, const ast::Duration&) {
    return program_.settings.plain_integers ? integer_type() : duration_type();
}

Type BodyChecker::type_of(ast::ExprId, const ast::String& node) {
    return string_type(static_cast<uint32_t>(node.value.size() + 1));
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Ellipsis&) {
    use(id) = VariableUse{Variable::latency, 0};
    return variable(id, variable_row(Variable::latency), "...");
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Name& node) {
    if (const auto t = parameter(id, node.name)) return *t;
    const VariableRow* row = find_variable(node.name);
    if (!row) return unknown_name(id, node.name);
    use(id) = VariableUse{row->id, 0};  // or what variable() says
    return variable(id, *row, node.name);
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Local& node) {
    const Known* known = known_local(node.name);
    if (known == nullptr) {
        diags_.error(span(id), fmt::format("${} has no value yet", node.name)).hint = "assign to it first";
        return nothing();
    }
    LocalInfo& info = body_.locals[known->index];
    if (info.type.kind == Kind::none && info.pair_of == no_map && typed_.assume_numbers) info.type = integer_type();
    if (info.pair_of != no_map) return whole_pair(id, known->index);
    use(id) = LocalUse{known->index};
    if (info.type.kind == Kind::none) {
        diags_.error(span(id), fmt::format("${} has no value yet", node.name)).hint = "assign to it first";
    }
    return info.type;
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Map& node) {
    MapInfo& info = maps_[map_at(id, node, false)];
    if (info.value.kind == Kind::none && typed_.assume_numbers) {
        info.value = integer_type();
        info.written = true;
    }
    return info.value;
}

Type BodyChecker::record_field(ast::ExprId id, const ast::Member& node) {
    if (has_debug_scope(body_.place)) return program_variable(id, node);
    const bool function = !body_.place.function.name.empty();
    const std::vector<Field>& fields = function ? body_.place.function.parameters : body_.place.tracepoint.fields;
    const std::string& owner = function ? body_.place.function.name : body_.place.tracepoint.event;
    if (function && !body_.place.function.in_btf) {
        diags_.error(node.field_span, fmt::format("the kernel's type information (BTF) does not describe {}", owner))
            .hint = "write arg0, arg1 ...";
        return nothing();
    }
    auto field = std::ranges::find(fields, node.field, &Field::name);
    if (field == fields.end() && body_.place.kind == ProbeKind::syscall) field = numbered(fields, node.field);
    if (field == fields.end() && function) field = renamed_parameter(node);
    if (field == fields.end()) {
        std::vector<std::string_view> names;
        std::vector<std::string> all;
        for (const Field& f : fields)
            if (!f.name.empty()) names.push_back(f.name), all.push_back(f.name);
        const auto near = closest(node.field, names);
        Diag& d = diags_.error(node.field_span,
                               fmt::format("{} has no {} `{}`", owner, function ? "argument" : "field", node.field));
        if (all.empty() && !fields.empty()) {
            d.message = fmt::format("this kernel gives the arguments of {} no names", owner);
            d.hint = "write arg0, arg1 ...";
            return nothing();
        }
        d.hint = near.empty() ? (all.empty() ? "it has none" : fmt::format("there are {}", fmt::join(all, ", ")))
                              : fmt::format("did you mean {}?", either(near));
        return nothing();
    }
    if (field->type.kind == Kind::none) {
        diags_.error(node.field_span,
                     fmt::format("`{}` is of type `{}`, which cannot be read yet", field->name, field->c_type));
        return nothing();
    }
    use(id) = FieldUse{*field};
    assume_field(*field);
    const bool untyped = field->type.kind == Kind::integer && field->type.view == View::hex && !field->type.shape;
    return untyped && !function ? address_from_text(*field, kernel_) : field->type;
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Unary& node) {
    const Type t = value(node.operand);
    if (t.kind == Kind::none) return t;
    if (node.op == ast::UnaryOp::address) return address_of(id, node.operand, t);
    if (t.kind != Kind::integer) {
        diags_.error(span(id), fmt::format("`{}` takes an integer, not {}", spelling(node.op), type_name(t)));
        return nothing();
    }
    switch (node.op) {
        case ast::UnaryOp::minus:
            return integer_type(8, true, t.view == View::boolean ? View::plain : t.view);
        case ast::UnaryOp::logical_not:
            return truth();
        case ast::UnaryOp::bit_not:
            return integer_type(8, t.is_signed || t.view == View::boolean);
        case ast::UnaryOp::dereference:
            return dereferenced(id, t);
        case ast::UnaryOp::address:
            break;
    }
    return nothing();
}

// May what is joined here be longer each time, as in $s = $s + "x"?
bool BodyChecker::grows(const ast::Binary& node) const {
    return bounds_strings() && (is_kept(program_, node.left) || is_kept(program_, node.right));
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Binary& node) {
    const Type l = value(node.left), r = value(node.right);
    const bool joins = node.op == ast::BinaryOp::add && (l.kind == Kind::string || r.kind == Kind::string);
    const uint32_t longest = bounds_strings() ? program_.settings.max_strlen : UINT32_MAX;
    const Type joined = string_type(longest);
    // What is joined to itself has its type from the other side.
    if (joins && bounds_strings() && (l.kind == Kind::none || r.kind == Kind::none)) return joined;
    if (l.kind == Kind::none || r.kind == Kind::none) {
        const bool is_sum = typed_.assume_sums && !is_comparison(node.op) && !is_logical(node.op);
        const bool beside_number = l.kind == Kind::integer || r.kind == Kind::integer;
        return is_sum && beside_number ? integer_type() : nothing();
    }
    const bool equality = node.op == ast::BinaryOp::equal || node.op == ast::BinaryOp::not_equal;
    const auto text_and_name = [](const Type& text, const Type& name) {
        return text.kind == Kind::string && name.kind != Kind::string && name_size(name) != 0;
    };
    if (equality && (text_and_name(l, r) || text_and_name(r, l))) return truth();
    if (l.kind != r.kind) {
        diags_.error(span(id), fmt::format("{} and {} do not go together in `{}`", type_name(l), type_name(r),
                                           spelling(node.op)));
        return nothing();
    }
    if (l.kind == Kind::string) {
        if (is_comparison(node.op)) return truth();
        if (joins)
            return grows(node) ? joined
                               : string_type(std::min(joined.size, letters(node.left) + letters(node.right) + 1));
        diags_.error(span(id), fmt::format("strings cannot be used with `{}`", spelling(node.op))).hint =
            "== != < <= > >= compare strings, + joins them";
        return nothing();
    }
    if (in_memory(l) && l.kind != Kind::stack) {
        if (equality && !apart(kept(node.left, l), kept(node.right, r))) return truth();
        diags_
            .error(span(id),
                   fmt::format("{} and {} cannot be used with `{}`", type_text(l), type_text(r), spelling(node.op)))
            .hint = "== and != compare values of the same type";
        return nothing();
    }
    if (l.kind == Kind::stack) {
        diags_.error(span(id), fmt::format("stacks cannot be used with `{}`", spelling(node.op))).hint =
            "to tell them apart use them as a key: @[kstack] = count()";
        return nothing();
    }
    if (is_logical(node.op)) return truth();
    if (is_duration(l) || is_duration(r)) return durations(id, node, l, r);
    if (is_comparison(node.op)) return truth();
    const bool sum = node.op == ast::BinaryOp::add || node.op == ast::BinaryOp::subtract;
    for (const Type* side : {&l, &r})
        if (sum && pointee(*side)) assume_size(*pointee(*side));
    if (sum && pointee(l) && !pointee(r)) return l;
    if (node.op == ast::BinaryOp::add && pointee(r)) return r;
    const bool is_signed = signed_operation(program_, body_, node);
    Type type = integer_type(8, is_signed || node.op == ast::BinaryOp::subtract);
    type.user_memory = keeps_address(node.op) && (l.user_memory || r.user_memory);
    return type;
}

Type BodyChecker::durations(ast::ExprId id, const ast::Binary& node, Type left, Type right) {
    const bool l = is_duration(left), r = is_duration(right);
    if (is_comparison(node.op) && l && r) return truth();
    for (const DurationRule& rule : duration_rules) {
        if (rule.op == node.op && rule.left == l && rule.right == r)
            return rule.result ? duration_type() : integer_type();
    }
    if (l && r) {
        diags_.error(span(id), fmt::format("two durations cannot be used with `{}`", spelling(node.op))).hint =
            "divide by a unit for a plain integer: latency / 1us";
        return nothing();
    }
    const ast::ExprId plain = l ? node.right : node.left;
    Diag& d = diags_.error(span(plain), fmt::format("`{}` has a duration on one side and a plain integer on the other",
                                                    spelling(node.op)));
    const auto* n = std::get_if<ast::Integer>(&program_[plain].node);
    d.hint = n ? fmt::format("give the number a unit: {0}ns, {0}us, {0}ms or {0}s", n->value)
               : "make it a duration: (...) * 1ns; or the other a number: latency / 1ns";
    return nothing();
}

Type BodyChecker::type_of(ast::ExprId id, const ast::Conditional& node) {
    condition(node.condition, "a condition");
    if (const auto known = decided(program_, body_, node.condition)) return value(*known ? node.yes : node.no);
    const Type a = value(node.yes), b = value(node.no);
    if (a.kind == Kind::none || b.kind == Kind::none) return nothing();
    if (a.kind != b.kind || is_duration(a) != is_duration(b)) {
        diags_.error(span(id), fmt::format("one side is {}, the other {}", type_name(a), type_name(b)));
        return nothing();
    }
    if (a.kind == Kind::string) return string_type(std::max(a.size, b.size));
    if (in_memory(a)) {
        if (!apart(a, b)) return joined(a, b);
        diags_.error(span(id), fmt::format("one side is {}, the other {}", type_text(a), type_text(b)));
        return nothing();
    }
    if (a == b) return a;
    Type type = integer_type(8, a.is_signed || b.is_signed, a.view == b.view ? a.view : View::plain);
    if (const Type* address = pointee(a) && !pointee(b) ? &a : !pointee(a) && pointee(b) ? &b : nullptr)
        type = *address;  // $p ? $p : 0
    type.user_memory = user_memory_of(a, b);
    return type;
}

}  // namespace lt
