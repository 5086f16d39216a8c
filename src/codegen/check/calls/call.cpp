#include "codegen/check/calls/call.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/check/calls/arguments.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/expr/expr.h"

namespace lt {
namespace {

Type unknown_function(CheckContext& c, const ast::Call& node) {
    const auto later = later_names();
    if (std::ranges::find(later, node.name) != later.end()) {
        c.error(node.name_span, fmt::format("`{}()` is not supported yet", node.name));
        return nothing();
    }
    Diag& d = c.error(node.name_span, fmt::format("there is no function `{}()`", node.name));
    if (ast::order_head(node.name)) {
        d.message = fmt::format("`{}()` belongs in the head of a loop", node.name);
        d.hint = "write `for ($pair : sort(@map)) { ... }` or `for ($pair : top(@map, 10)) { ... }`";
        return nothing();
    }
    if (find_variable(node.name)) {
        d.message = fmt::format("`{}` is a value, not a function", node.name);
        d.hint = fmt::format("write it without parentheses: `{}`", node.name);
        return nothing();
    }
    std::vector<std::string_view> names;
    for (const FunctionRow& r : function_rows()) names.push_back(r.name);
    const auto near = closest(node.name, names);
    d.hint = near.empty() ? "lt-language(7) lists the functions" : did_you_mean(near);
    return nothing();
}

// Calls a function of the script that is written in C.
Type c_call_type(CheckContext& c, const ast::Call& node, uint32_t index) {
    const ast::CFunction& f = c.program.c_functions[index];
    if (!c.typed.unsafe) {
        c.error(f.span, fmt::format("`{}` is written in C, which lt only compiles with `-g`", f.shown)).hint =
            "use `-g` (guru mode) if you trust the script";
        return nothing();
    }
    for (size_t i = 0; i < node.arguments.size(); i++) {
        const ast::CFunction::Parameter& p = f.parameters[i];
        const Type t = check_value(c, node.arguments[i]);
        if (t.kind == Kind::none || (p.is_text ? t.kind == Kind::string : t.kind == Kind::integer)) continue;
        const std::string_view note = p.is_text ? "declared here" : "a parameter without a type is a number";
        c.error(node.arguments[i], fmt::format("`{}` of `{}` is {}, not {}", p.name, f.shown,
                                               p.is_text ? "a string" : "a number", type_name(t)))
            .notes.push_back({f.span, std::string(note)});
    }
    return f.result == ast::CFunction::Result::text ? string_type(c.settings().max_strlen) : integer_type();
}

bool is_allowed(CheckContext& c, const ast::Call& node, const FunctionRow& row) {
    if (!row.unsafe || c.typed.unsafe || (row.id == Function::system && c.settings().runs_commands)) return true;
    c.error(node.name_span, fmt::format("`{}()` changes what is traced or runs a command", row.name)).hint =
        "run lt with `--unsafe` to allow it";
    return false;
}

// String literals and names have no type where they are words that the function knows.
bool has_type(CheckContext& c, ast::ExprId argument) {
    const ast::ExprNode& node = c.expr(argument).node;
    return c.type(argument).kind != Kind::none || std::holds_alternative<ast::String>(node) ||
           std::holds_alternative<ast::Name>(node);
}

}  // namespace

Type type_of(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (const auto of_script = c.program.c_function(node.name)) return c_call_type(c, node, *of_script);
    const FunctionRow* row = find_function(node.name);
    if (!row) return unknown_function(c, node);
    c.use(id) = CallUse{row->id};
    if (!is_allowed(c, node, *row)) return nothing();
    const TypeRule* rule = type_rule(row->id);
    if (rule && rule->checks_arguments) return rule->type(c, id, node);
    const bool fits = check_arguments(c, id, node, *row);
    if (!rule) return c.of_row(row->result);
    const bool typed = std::ranges::all_of(node.arguments, [&](ast::ExprId each) { return has_type(c, each); });
    return fits && typed ? rule->type(c, id, node) : nothing();
}

}  // namespace lt
