// Functions that return several values as one: all_args(), whole(), syscall_args().
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/names/args.h"
#include "runtime/border/arguments.h"

namespace lt {
namespace {

// The variables that all_args() returns.
struct Which {
    std::string_view name;
    bool parameters, locals;
};
constexpr std::array sorts{Which{"vars", true, true}, Which{"parms", true, false}, Which{"locals", false, true}};

const Which* variables_wanted(CheckContext& c, const ast::Call& node) {
    if (node.arguments.empty()) return sorts.data();
    const auto& name = std::get<ast::String>(c.expr(node.arguments[0]).node).value;
    const auto sort = std::ranges::find(sorts, name, &Which::name);
    if (sort != sorts.end()) return &*sort;
    c.error(node.arguments[0], fmt::format("`all_args()` does not know {}", quoted(name))).hint =
        "use `\"vars\"`, `\"parms\"` or `\"locals\"`";
    return nullptr;
}

Type arguments_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const Which* which = variables_wanted(c, node);
    if (which == nullptr) return nothing();
    if (!probe_row(c.place().kind).fields) {
        c.error(id, "this probe has no named arguments").hint = "the entries of functions and tracepoints have them";
        return nothing();
    }
    if (c.region == Region::timeout && c.body.role == Role::open) {
        c.error(id, "`all_args()` is only available at the opening").hint =
            "read it at the opening with `entry(all_args())`";
        return nothing();
    }
    std::optional<ArgumentsUse> all = readable_arguments(c, id, {which->parameters, which->locals, true});
    if (!all) return nothing();
    std::vector<Type> parts;
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, Type type) {
        type.size = 8;
        type.shape = {};
        parts.push_back(std::move(type));
        names.push_back(name);
    };
    for (const Field& field : all->fields) add(field.name, field.type);
    for (const ProgramVariable& v : all->variables) add(v.name, v.type);
    if (parts.empty() && which->parameters) {
        c.error(id, "no named argument here is a number or an address").hint = "";
        return nothing();
    }
    c.use(id) = std::move(*all);
    Type type = tuple_type(std::move(parts), std::move(names));
    type.shape->name = std::string(arguments_shape);
    return type;
}

bool is_letter(const Type& type) { return type.kind == Kind::integer && type.size == 1; }

Type whole_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const Type type = c.type(node.arguments[0]);
    const Type* to = pointee(type);
    if (to == nullptr) return type;
    if (is_letter(*to)) return string_type(c.settings().max_strlen);
    if (to->size == 0 || to->size > most_copied) {
        c.error(node.arguments[0], to->size == 0 ? "the type that this address points to is not known"
                                                 : "the value at this address is too large to copy")
            .hint = "name the members that you need";
        return nothing();
    }
    Type out = *to;
    if (out.kind == Kind::structure || out.kind == Kind::array) return copied_layout(c, std::move(out));
    return out.view == View::enumeration ? c.kernel.whole(std::move(out)) : out;
}

Type syscall_type(CheckContext& c, ast::ExprId id, const ast::Call&) {
    if (c.place().kind != ProbeKind::syscall || !c.in_action()) {
        c.error(id, "the arguments of a system call are only available at its entry").hint =
            "use an action of `syscall:NAME`: `sc:openat { print(syscall_args()); }`";
        return nothing();
    }
    return string_type(c.settings().max_strlen);
}

constexpr TypeRule whole_rules[] = {
    {Function::all_args, arguments_type},
    {Function::whole, whole_type},
    {Function::syscall_args, syscall_type},
};

}  // namespace

std::span<const TypeRule> whole_type_rules() { return whole_rules; }

}  // namespace lt
