// Types of calls: most functions are a rule of calls.h, a few are told apart here.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "calls.h"
#include "check.h"
#include "samples.h"
#include "stacks.h"

namespace lt {

Type BodyChecker::type_of(ast::ExprId id, const ast::Call& node) {
    if (const auto c = program_.c_function(node.name)) return c_call(node, *c);
    const FunctionRow* row = find_function(node.name);
    if (!row) return unknown_function(node);
    use(id) = CallUse{row->id};
    if (row->id == Function::size_of && node.arguments.size() == 1) return size_of(id, node.arguments[0]);
    if (row->id == Function::age) return age(id, node);
    if (row->id == Function::percentile) return percentile(id, node, *row);
    if (is_statistic(row->id)) return statistic(id, node, *row);
    if (call_rule(row->id) != nullptr) return call_by_rule(id, node, *row);
    const size_t before = diags_.all().size();
    arguments(id, node, *row);
    if (const auto variable_id = stack_variable(row->id); variable_id && region_ == Region::timeout) {
        diags_.error(span(id), "a timeout has the whole stack only").hint = "write kstack";
        return nothing();
    }
    if (const auto variable_id = stack_variable(row->id)) {
        if (node.arguments.size() == 2 && !stack_form(program_[node.arguments[0]])) {
            diags_.error(span(node.arguments[1]), "the number of frames stands once, behind the form").hint =
                fmt::format("write {}(perf, 5), or {}(5)", row->name, row->name);
        }
        return in_scope(id, variable_row(*variable_id)) ? stack_of(program_, stack_request(program_, node).form)
                                                        : nothing();
    }
    const bool told = diags_.all().size() != before;
    if (row->id == Function::buf || (row->id == Function::str && node.arguments.size() == 2))
        return told ? nothing() : measured(node, row->id);
    if (row->id == Function::strcontains) return told ? nothing() : truth();
    if (row->id == Function::kptr || row->id == Function::uptr) {
        if (node.arguments.size() != 1) return nothing();
        Type address = slot(node.arguments[0]);
        address.user_memory = row->id == Function::uptr;
        return address;
    }
    if (row->id == Function::entry) return node.arguments.size() == 1 ? entry(node) : nothing();
    const bool is_text =
        row->id == Function::str && node.arguments.size() == 1 && slot(node.arguments[0]).kind == Kind::string;
    if (is_text) return slot(node.arguments[0]);
    return row->id == Function::str ? string_type(program_.settings.max_strlen) : of_row(row->result);
}

// A walk over the buckets of all CPUs is the runtime's work, so no program can use the result.
Type BodyChecker::percentile(ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    if (printed_ != id) {
        diags_.error(span(id), fmt::format("{}() has a value only where it is printed", row.name)).hint =
            fmt::format("write it as an argument of print() or printf() by itself: print({}(@name, 99))", row.name);
        return nothing();
    }
    const size_t before = diags_.all().size();
    arguments(id, node, row);
    if (diags_.all().size() != before) return nothing();
    return integer_type(8, true, slot(node.arguments[0]).view);
}

Type BodyChecker::unknown_function(const ast::Call& node) {
    const auto later = later_names();
    if (std::find(later.begin(), later.end(), node.name) != later.end()) {
        diags_.error(node.name_span, fmt::format("{}() is not there yet", node.name));
        return nothing();
    }
    Diag& d = diags_.error(node.name_span, fmt::format("there is no function {}()", node.name));
    if (ast::order_head(node.name)) {
        d.message = fmt::format("{}() stands in the head of a loop", node.name);
        d.hint = "for ($pair : sort(@map)) { ... } or for ($pair : top(@map, 10)) { ... }";
        return nothing();
    }
    if (find_variable(node.name)) {
        d.message = fmt::format("`{}` is a value, not a function", node.name);
        d.hint = fmt::format("write it without parentheses: {}", node.name);
        return nothing();
    }
    std::vector<std::string_view> names;
    for (const FunctionRow& r : function_rows()) names.push_back(r.name);
    const auto near = closest(node.name, names);
    d.hint = near.empty() ? "lt-language(7) lists them" : fmt::format("did you mean {}?", either(near));
    return nothing();
}

Type BodyChecker::call_by_rule(ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    const bool allowed = typed_.unsafe || (row.id == Function::system && program_.settings.runs_commands);
    if (row.unsafe && !allowed) {
        diags_.error(node.name_span, fmt::format("{}() changes what is traced or runs a command", row.name)).hint =
            "run lt with --unsafe to allow it";
        return nothing();
    }
    const size_t before = diags_.all().size();
    arguments(id, node, row);
    for (ast::ExprId argument : node.arguments) {
        const bool typed = slot(argument).kind != Kind::none ||
                           std::holds_alternative<ast::String>(expr(argument).node) ||
                           std::holds_alternative<ast::Name>(expr(argument).node);
        if (!typed) return nothing();
    }
    if (diags_.all().size() != before) return nothing();
    const CallRule& rule = *call_rule(row.id);
    return rule.check != nullptr ? rule.check(*this, id, node) : of_row(row.result);
}

}  // namespace lt
