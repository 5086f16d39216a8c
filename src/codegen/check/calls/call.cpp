#include "codegen/check/calls/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/rows.h"
#include "base/text.h"
#include "codegen/check/calls/arguments.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/calls/words.h"
#include "codegen/check/expr/address.h"
#include "codegen/check/expr/expr.h"
#include "codegen/typed/calls/facts.h"

namespace lt {
namespace {

// The type whose bytes C's function of this name reverses; empty if it is none of them.
std::string_view swapped_by(std::string_view function) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> rows{{{"ntohs", "uint16"},
                                                                                 {"htons", "uint16"},
                                                                                 {"ntohl", "uint32"},
                                                                                 {"htonl", "uint32"},
                                                                                 {"ntohll", "uint64"},
                                                                                 {"htonll", "uint64"}}};
    const auto* row = std::ranges::find(rows, function, &std::pair<std::string_view, std::string_view>::first);
    return row == rows.end() ? "" : row->second;
}

Type unknown_function(CheckContext& c, const ast::Call& node) {
    if (const OtherName* other = find_other_name(node.name)) {
        c.error(node.name_span, fmt::format("`{}()` is not supported yet", node.name)).hint = other->instead;
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
    if (const std::string_view type = swapped_by(node.name); !type.empty()) {
        d.hint = fmt::format("write `bswap(({})...)`, which reverses the bytes of an integer", type);
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

// Values of the thread that runs, of its CPU, or of the traced place.
constexpr std::array values_here{Function::kframe, Function::uframe,        Function::reg,
                                 Function::path,   Function::socket_cookie, Function::counter};
// Actions on that thread or its memory.
constexpr std::array acts_here{Function::signal, Function::signal_thread, Function::delay, Function::write_user,
                               Function::join};

bool needs_kernel_ids(CheckContext& c, const ast::Call& node, Function id) {
    if (id == Function::snapshot) return true;
    if ((id != Function::pid_in && id != Function::tid_in) || node.arguments.empty()) return false;
    const auto* of = std::get_if<ast::Name>(&c.expr(node.arguments[0]).node);
    return of != nullptr && of->name == initial_namespace;
}

// Of the thread that is stuck, only the ids in lt's PID namespace are known.
bool has_ids(CheckContext& c, const ast::Call& node, const FunctionRow& row) {
    if (!needs_kernel_ids(c, node, row.id)) return true;
    if (!c.typed.renumbered) {
        c.assume({Assumed::kernel_ids});
        return true;
    }
    c.error(node.name_span,
            fmt::format("`{}()` in a timeout's block needs the kernel's own process ids, but lt runs in "
                        "a PID namespace",
                        row.name))
        .hint = row.id == Function::snapshot ? "the span's own block can call it"
                                             : fmt::format("read it when the span opens: `entry({}(init))`", row.name);
    return false;
}

// lt runs the block of a timeout, in none of the threads that are traced.
bool is_available_there(CheckContext& c, const ast::Call& node, const FunctionRow& row) {
    const size_t given = node.arguments.size();
    const bool this_cpu = row.id == Function::percpu_kaddr && given < 2;
    const bool is_value = this_cpu || contains(values_here, row.id);
    const bool this_thread =
        (row.id == Function::age && given < 2) || (row.id == Function::setsockopt && given < with_descriptor);
    if (!is_value && !this_thread && !contains(acts_here, row.id)) return has_ids(c, node, row);
    Diag& d = c.error(
        node.name_span,
        fmt::format("a timeout's block does not run in the thread that is stuck: `{}()` is not available", row.name));
    if (is_value) {
        d.hint = fmt::format("read it when the span opens: `entry({}(...))`", row.name);
    } else if (row.id == Function::signal || row.id == Function::signal_thread) {
        d.hint = "`system(\"kill -KILL %d\", pid)` ends the process that is stuck";
    } else {
        d.hint = "the span's own block can call it";
    }
    return false;
}

// They read what is at an address.
constexpr std::array readers{Function::str, Function::buf, Function::whole, Function::macaddr, Function::quoted_bytes};

bool reads_user_memory(CheckContext& c, const ast::Call& node, Function id) {
    if (!contains(readers, id) || node.arguments.empty()) return false;
    const Type& from = c.type(node.arguments[0]);
    return from.kind == Kind::integer && from.user_memory;
}

Type result_of(CheckContext& c, ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    const TypeRule* rule = type_rule(row.id);
    if (rule && rule->checks_arguments) return rule->type(c, id, node);
    const bool fits = check_arguments(c, id, node, row);
    if (!rule) return c.of_row(row.result);
    const bool typed = std::ranges::all_of(node.arguments, [&](ast::ExprId each) { return has_type(c, each); });
    return fits && typed ? rule->type(c, id, node) : nothing();
}

}  // namespace

Type type_of(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (const auto of_script = c.program.c_function(node.name)) return c_call_type(c, node, *of_script);
    const FunctionRow* row = find_function(node.name);
    if (!row) return unknown_function(c, node);
    c.use(id) = CallUse{row->id};
    if (!is_allowed(c, node, *row)) return nothing();
    if (c.region == Region::timeout && !is_available_there(c, node, *row)) return nothing();
    const Type type = result_of(c, id, node, *row);
    return is_readable(c, id, reads_user_memory(c, node, row->id)) ? type : nothing();
}

}  // namespace lt
