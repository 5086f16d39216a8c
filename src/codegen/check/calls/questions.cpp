// Questions about types and the kernel, whose answers are constants; process ids in a namespace.
#include <fmt/format.h>

#include "base/text.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/calls/words.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/typed/calls/facts.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

bool is_address(const Type& t) { return t.kind == Kind::integer && (pointee(t) != nullptr || t.view == View::hex); }

bool is_text(CheckContext& c, ast::ExprId id) { return c.type(id).kind == Kind::string; }
bool is_pointer(CheckContext& c, ast::ExprId id) { return is_address(c.type(id)); }
bool is_array(CheckContext& c, ast::ExprId id) { return c.type(id).kind == Kind::array; }
bool is_number(CheckContext& c, ast::ExprId id) { return c.type(id).kind == Kind::integer && !is_address(c.type(id)); }
bool is_natural(CheckContext& c, ast::ExprId id) { return is_number(c, id) && !c.type(id).is_signed; }
bool is_constant(CheckContext& c, ast::ExprId id) {
    const ast::ExprNode& node = c.expr(id).node;
    return std::holds_alternative<ast::Integer>(node) || std::holds_alternative<ast::String>(node) ||
           std::holds_alternative<ast::Boolean>(node) || std::holds_alternative<ast::Duration>(node);
}
bool is_described(CheckContext& c, ast::ExprId id) {
    const auto function = c.kernel.function(text_literal(c.expr(id)));
    return function && function->in_btf;
}
bool is_callable(CheckContext&, ast::ExprId) { return false; }  // lt's programs call no kfuncs

template <bool (*answer)(CheckContext&, ast::ExprId)>
Type answered(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    c.use(id) = ConstantUse{answer(c, node.arguments[0]) ? 1 : 0};
    return c.truth();
}

Type string_length(CheckContext& c, ast::ExprId id, const ast::Call&) {
    c.use(id) = ConstantUse{c.settings().max_strlen};
    return integer_type(8, false);
}

Type text_asserted(CheckContext& c, ast::ExprId, const ast::Call& node) {
    if (!is_text(c, node.arguments[0]))
        c.error(node.arguments[0], "this is not a string but " + type_name(c.type(node.arguments[0])));
    return nothing();
}

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
    return fmt::format("({})", join(parts, ", "));
}

// A literal has the smallest type that holds it.
std::string full_name_of(CheckContext& c, ast::ExprId id) {
    const Type& type = c.type(id);
    const auto number = number_as_it_stands(c.program, id);
    if (!number || type.view != View::plain) return full_name(type, width_of(c, id));
    for (const uint32_t bits : {8U, 16U, 32U}) {
        const int64_t most = int64_t{1} << bits;
        if (*number >= 0 && *number < most) return fmt::format("uint{}", bits);
        if (*number < 0 && *number >= -(most / 2)) return fmt::format("int{}", bits);
    }
    return *number < 0 ? "int64" : "uint64";
}

Type described(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    TextsUse description{{std::string(base_name(c.type(node.arguments[0]))), full_name_of(c, node.arguments[0])}};
    std::vector<Type> parts{integer_type(8, false)};
    for (const std::string& text : description.texts)
        parts.push_back(string_type(static_cast<uint32_t>(text.size() + 1)));
    c.use(id) = std::move(description);
    return tuple_type(std::move(parts), {"btf_id", "base_type", "full_type"});
}

Type namespace_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const std::string& name = word(c.expr(node.arguments[0]));
    if (name != initial_namespace && name != current_namespace)
        c.error(node.arguments[0], "there is no such namespace").hint = "use `init` or `curr_ns`";
    return integer_type(4, false);
}

// A process id of lt's own PID namespace, or one that the user gives.
bool is_own_id(CheckContext& c, ast::ExprId id) {
    if (const auto* variable = std::get_if<VariableUse>(&c.use(id)))
        return variable->id == Variable::pid || variable->id == Variable::tid || variable->id == Variable::cpid;
    const auto* call = std::get_if<ast::Call>(&c.expr(id).node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    if (row && (row->id == Function::pid_in || row->id == Function::tid_in))
        return word(c.expr(call->arguments[0])) != initial_namespace;
    return is_constant(c, id) || std::holds_alternative<ParamUse>(c.use(id));
}

// The name comes from lt's /proc, but events and structures of the kernel have the kernel's own ids.
Type process_name_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const ast::ExprId process = node.arguments[0];
    if (!is_own_id(c, process) && c.passed_over == 0) {
        if (c.typed.renumbered)
            c.diags
                .warning(c.span(process),
                         "lt runs in a PID namespace: if this is one of the kernel's own process ids, as in the fields "
                         "of events, `comm()` gives the name of another process")
                .hint = "run lt outside the container, or start the container with `--pid=host`";
        else
            c.assume({Assumed::kernel_ids});
    }
    return c.of_row(function_row(Function::process_comm).result);
}

constexpr TypeRule question_rules[] = {
    {Function::is_str, answered<is_text>},
    {Function::is_ptr, answered<is_pointer>},
    {Function::is_array, answered<is_array>},
    {Function::is_integer, answered<is_number>},
    {Function::is_unsigned_integer, answered<is_natural>},
    {Function::is_literal, answered<is_constant>},
    {Function::assert_str, text_asserted},
    {Function::default_str_length, string_length},
    {Function::kfunc_exist, answered<is_described>},
    {Function::kfunc_allowed, answered<is_callable>},
    {Function::process_comm, process_name_type},
    {Function::pid_in, namespace_type},
    {Function::tid_in, namespace_type},
    {Function::type_info, described},
};

}  // namespace

std::span<const TypeRule> question_type_rules() { return question_rules; }

}  // namespace lt
