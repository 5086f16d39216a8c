// Questions about types and about the kernel, whose answers are constants; error numbers in addresses; processes as
// numbered in a namespace.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calls.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_get_current_pid_tgid = 14;
constexpr int64_t most_errors = 4095;  // MAX_ERRNO

const std::string& literal(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }

bool is_address(const Type& t) { return t.kind == Kind::integer && (pointee(t) != nullptr || t.view == View::hex); }

// ---- what is known when the program is compiled

bool is_text(BodyChecker& c, ast::ExprId id) { return c.checked(id).kind == Kind::string; }
bool is_pointer(BodyChecker& c, ast::ExprId id) { return is_address(c.checked(id)); }
bool is_row(BodyChecker& c, ast::ExprId id) { return c.checked(id).kind == Kind::array; }
bool is_number(BodyChecker& c, ast::ExprId id) {
    return c.checked(id).kind == Kind::integer && !is_address(c.checked(id));
}
bool is_natural(BodyChecker& c, ast::ExprId id) { return is_number(c, id) && !c.checked(id).is_signed; }
bool stands_there(BodyChecker& c, ast::ExprId id) {
    const ast::ExprNode& node = c.expr(id).node;
    return std::holds_alternative<ast::Integer>(node) || std::holds_alternative<ast::String>(node) ||
           std::holds_alternative<ast::Boolean>(node) || std::holds_alternative<ast::Duration>(node);
}
bool is_described(BodyChecker& c, ast::ExprId id) {
    const auto function = c.kernel().function(literal(c.expr(id)));
    return function && function->in_btf;
}
bool is_callable(BodyChecker&, ast::ExprId) { return false; }  // no program of lt calls any

template <bool (*answer)(BodyChecker&, ast::ExprId)>
Type answered(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    c.say(id, ConstantUse{answer(c, node.arguments[0]) ? 1 : 0});
    return c.truth();
}

Type string_length(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    c.say(id, ConstantUse{c.longest_string()});
    return integer_type(8, false);
}

Type text_asserted(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (!is_text(c, node.arguments[0]))
        c.error(node.arguments[0], "this is no string, but " + type_name(c.checked(node.arguments[0])));
    return nothing();
}

ir::Value known_number(BodyLowering& l, ast::ExprId id, const ast::Call&) {
    return l.builder().constant(std::get<ConstantUse>(l.use_of(id)).value);
}

// ---- typeinfo()

std::string_view base_name(const Type& type) {
    switch (type.kind) {
        case Kind::integer:
            return is_address(type) ? "pointer" : type.view == View::boolean ? "bool" : "int";
        case Kind::string:
            return "string";
        case Kind::stack:
            return "stack";
        case Kind::structure:
            return "struct";
        case Kind::array:
            return "array";
        case Kind::tuple:
            return type.shape->names.empty() ? "tuple" : "record";
        case Kind::buffer:
            return "buffer";
        case Kind::none:
        case Kind::record:
        case Kind::aggregation:
            break;
    }
    return "none";
}

std::string full_name(const Type& type, uint32_t width) {
    if (const Type* to = pointee(type)) return full_name(*to, to->size) + (pointee(*to) ? "*" : " *");
    if (is_address(type)) return "void *";
    const bool is_named = type.shape && !type.shape->name.empty();
    if (type.kind == Kind::integer && type.view == View::boolean) return "bool";
    if (is_named) return type.shape->name;
    if (type.kind == Kind::integer) return fmt::format("{}int{}", type.is_signed ? "" : "u", 8 * width);
    if (const Type* each = element(type))
        return fmt::format("{}[{}]", full_name(*each, each->size), type.size / each->size);
    if (type.kind == Kind::none) return "void";
    if (type.kind != Kind::tuple) return type_text(type);
    std::vector<std::string> parts;
    for (size_t i = 0; i < type.shape->parts.size(); i++) {
        const Type& part = type.shape->parts[i];
        const bool has_name = i < type.shape->names.size();
        parts.push_back((has_name ? type.shape->names[i] + " = " : "") + full_name(part, part.size));
    }
    return fmt::format("({})", fmt::join(parts, ", "));
}

// A number as it stands has the smallest type that holds it.
std::string full_name_of(BodyChecker& c, ast::ExprId id) {
    const Type& type = c.checked(id);
    const auto number = number_as_it_stands(c.program(), id);
    if (!number || type.view != View::plain) return full_name(type, c.width(id));
    for (const uint32_t bits : {8U, 16U, 32U}) {
        const int64_t most = int64_t{1} << bits;
        if (*number >= 0 && *number < most) return fmt::format("uint{}", bits);
        if (*number < 0 && *number >= -(most / 2)) return fmt::format("int{}", bits);
    }
    return *number < 0 ? "int64" : "uint64";
}

Type described(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    TextsUse said{{std::string(base_name(c.checked(node.arguments[0]))), full_name_of(c, node.arguments[0])}};
    std::vector<Type> parts{integer_type(8, false)};
    for (const std::string& text : said.texts) parts.push_back(string_type(static_cast<uint32_t>(text.size() + 1)));
    c.say(id, std::move(said));
    return tuple_type(std::move(parts), {"btf_id", "base_type", "full_type"});
}

void description_into(BodyLowering& l, ast::ExprId id, const ast::Call&, ir::Value to) {
    const Type& record = l.type_of(id);
    size_t part = 1;  // the number before them is zero
    for (const std::string& text : std::get<TextsUse>(l.use_of(id)).texts) {
        const uint32_t room = padded(record.shape->parts[part].size);
        l.builder().copy(to, tuple_offset(record, part++), l.builder().text(l.unit().text(text, room)), room);
    }
}

// ---- addresses

ir::Value is_error(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    return b.alu(ir::Alu::uge, l.number(node.arguments[0]), b.constant(-most_errors));
}

// ---- namespaces

constexpr std::array<std::string_view, 2> namespaces{"init", "curr_ns"};

const std::string& word(const ast::Expr& expr) { return std::get<ast::Name>(expr.node).name; }

Type namespace_type(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (std::ranges::find(namespaces, word(c.expr(node.arguments[0]))) == namespaces.end())
        c.error(node.arguments[0], "there is no namespace of this name").hint = "there are init and curr_ns";
    return integer_type(4, false);
}

template <bool process>
ir::Value number_in_namespace(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    if (word(l.expr(node.arguments[0])) != namespaces[0]) return l.renumbered(process);
    Builder& b = l.builder();
    const ir::Value both = b.helper(helper_get_current_pid_tgid);
    return process ? b.alu(ir::Alu::lshr, both, b.constant(32)) : b.extend(both, 4, false);
}

// id, type, number
constexpr CallRule rules[] = {
    {Function::is_str, answered<is_text>, known_number},
    {Function::is_ptr, answered<is_pointer>, known_number},
    {Function::is_array, answered<is_row>, known_number},
    {Function::is_integer, answered<is_number>, known_number},
    {Function::is_unsigned_integer, answered<is_natural>, known_number},
    {Function::is_literal, answered<stands_there>, known_number},
    {Function::assert_str, text_asserted},
    {Function::default_str_length, string_length, known_number},
    {Function::kfunc_exist, answered<is_described>, known_number},
    {Function::kfunc_allowed, answered<is_callable>, known_number},
    {Function::is_err, nullptr, is_error},
    {Function::pid_in, namespace_type, number_in_namespace<true>},
    {Function::tid_in, namespace_type, number_in_namespace<false>},
    {Function::type_info, described, nullptr, description_into},
};

}  // namespace

std::span<const CallRule> type_rules() { return rules; }

}  // namespace lt
