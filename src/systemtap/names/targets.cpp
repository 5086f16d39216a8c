// SystemTap's target variables: $x, @cast() and the members after them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "arch/arch.h"
#include "parser/tree/rewrite.h"
#include "systemtap/names/names.h"
#include "systemtap/names/printing.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/targets.h"

namespace lt::stp {
namespace {

constexpr std::string_view plain_long = "int64";

// $$vars, $$parms, $$locals, with or without a `$` at the end; empty: none of these.
constexpr std::array<std::string_view, 3> all_sorts{"vars", "parms", "locals"};

std::string_view all_arguments(std::string_view name) {
    if (!name.starts_with("$$")) return {};
    const auto is_it = [&](std::string_view sort) { return name.substr(2).starts_with(sort); };
    const auto sort = std::ranges::find_if(all_sorts, is_it);
    return sort == all_sorts.end() ? std::string_view() : *sort;
}

bool is_special(std::string_view name) { return name.starts_with("$$") || name.ends_with('$'); }

bool has_result(const Names& scope) {
    return scope.around->at_return || (scope.around->row != nullptr && !scope.around->row->result.empty());
}

// $$return as a text; empty if the function returns nothing.
void returned_text(Names& scope, ast::ExprId id) {
    if (!has_result(scope)) return scope.put(id, ast::String{});
    const ast::ExprId value = scope.add(id, ast::Name{"$return"}), format = scope.add(id, ast::String{"return=0x%x"});
    scope.put(id, ast::Call{"sprintf", scope.span(id), {format, value}});
    resolve_sprint(scope, id);
}

// $$vars, $$parms, $$locals: everything that has a name here. $x$, $x->y$$: what it points to, or its value.
bool shown_whole(Names& scope, ast::ExprId id) {
    const ast::ExprNode copy = scope.node(id);
    const auto* name = std::get_if<ast::Name>(&copy);
    const bool of_entry = scope.around->at_return;
    if (name != nullptr && name->name == "$$return") {
        returned_text(scope, id);
        return true;
    }
    if (name != nullptr && is_all_arguments(name->name)) {
        if (scope.around->row == nullptr || scope.around->row->variables != "args") return false;
        const std::string_view which = all_arguments(name->name);
        ast::Call all{"all_args", scope.span(id), {}};
        if (which != all_sorts.front()) all.arguments = {scope.add(id, ast::String{std::string(which)})};
        scope.put(id, std::move(all));
        if (of_entry) at_entry(scope, id);
        return true;
    }
    const auto* member = std::get_if<ast::Member>(&copy);
    const std::string_view last = name ? std::string_view(name->name) : member ? std::string_view(member->field) : "";
    const bool of_value = member != nullptr && (last == "$" || last == "$$");  // of an element, or of a cast
    if ((last.starts_with("$$") && !of_value) || !last.ends_with('$')) return false;
    if (last == "$" && !of_value) {
        scope.diags.error(scope.span(id), "`$` is not a valid name").hint =
            "write `$x` for a target variable, `$x$` for what it points to";
        scope.put(id, ast::Integer{0});
        return true;
    }
    const std::string without(of_value ? "" : last.substr(0, last.find_last_not_of('$') + 1));
    const ast::ExprId value = of_value ? member->base
                                       : scope.add(id, name ? ast::ExprNode(ast::Name{without})
                                                            : ast::Member{member->base, without, member->field_span});
    resolve_path(scope, value);
    // at a return, the value is saved, not the address
    auto* kept = std::get_if<ast::Call>(&scope.program.exprs[static_cast<size_t>(value)].node);
    const bool frozen = kept != nullptr && kept->name == "entry";
    const ast::ExprId inner = frozen ? kept->arguments[0] : value;
    const ast::ExprId all = scope.add(id, ast::Call{"whole", scope.span(id), {inner}});
    scope.put(id, frozen ? ast::ExprNode(ast::Call{"entry", scope.span(id), {all}}) : scope.node(all));
    return true;
}

void target_root(Names& scope, ast::ExprId id) {
    if (may_point(scope, id)) return cast_by_itself(scope, id);
    if (std::holds_alternative<ast::Call>(scope.node(id)))
        return resolve_cast(scope, id, std::get<ast::Call>(ast::ExprNode(scope.node(id))));
    const std::string name = std::get<ast::Name>(scope.node(id)).name;
    const StpPoint* row = scope.around->row;
    if (is_special(name)) {
        scope.diags.error(scope.span(id), fmt::format("lt does not support {} yet", name)).hint =
            "use `$$vars`, `$$parms`, `$$locals` or `$$return`, and `$x$` for what `$x` points to";
        return scope.put(id, ast::Integer{0});
    }
    if (name == "$return") {
        // a span's end is one location, whatever the name of the result in a plain return probe
        const std::string_view result = row && !scope.around->at_return ? row->result : "retval";
        if (result == "args.ret")
            return scope.put(id, ast::Member{scope.add(id, ast::Name{"args"}), "ret", scope.span(id)});
        if (!result.empty()) return scope.put(id, ast::Name{std::string(result)});
        scope.diags.error(scope.span(id), "this probe has no `$return`").hint =
            "`$return` works in probes that end with `.return`";
        return scope.put(id, ast::Integer{0});
    }
    const std::string_view variables = row ? row->variables : "args";
    uint32_t number = 0;
    const bool is_argument = name.starts_with("$arg") &&
                             std::from_chars(name.data() + 4, name.data() + name.size(), number).ec == std::errc{} &&
                             number > 0;
    if (variables == "system call") {
        const std::span<const arch::Register> registers = arch::native.system_call_arguments;
        const bool returns = !row->result.empty();
        const auto member = [&](ast::ExprId base, std::string_view field) {
            return ast::Member{base, std::string(field), scope.span(id)};
        };
        const ast::ExprId args = scope.add(id, ast::Name{"args"});
        if (name == "$syscall" && !returns) return scope.put(id, member(args, "id"));
        const ast::ExprId saved = scope.add(id, member(args, "regs"));
        if (name == "$syscall") return scope.put(id, member(saved, arch::native.system_call_number.name));
        if (is_argument && number <= registers.size()) return scope.put(id, member(saved, registers[number - 1].name));
    }
    if (variables == "args")
        return scope.put(id, ast::Member{scope.add(id, ast::Name{"args"}), name.substr(1), scope.span(id)});
    if (variables == "marker" && is_argument) return scope.put(id, ast::Name{fmt::format("arg{}", number - 1)});
    Diag& d = scope.diags.error(scope.span(id), fmt::format("this probe has no {}", name));
    d.hint = variables == "marker" ? "a mark's arguments are `$arg1`, `$arg2` ..."
             : row->shape.starts_with("process")
                 ? "lt does not read variables of programs yet; use `int_arg(1)` and `pointer_arg(1)`"
                 : "this probe has no kernel variables";
    scope.put(id, ast::Integer{0});
}

}  // namespace

bool is_all_arguments(std::string_view name) { return !all_arguments(name).empty(); }

ast::ExprId root_of(const Names& scope, ast::ExprId id) {
    for (;;) {
        if (const auto* member = scope.get<ast::Member>(id)) {
            id = member->base;
        } else if (const auto* index = scope.get<ast::Index>(id)) {
            id = index->base;
        } else {
            return id;
        }
    }
}

bool is_target(const Names& scope, ast::ExprId id) {
    const ast::ExprId at = root_of(scope, id);
    const ast::ExprNode& root = scope.node(at);
    const auto* name = std::get_if<ast::Name>(&root);
    if (name != nullptr && name->name.starts_with("$")) return true;
    const auto* call = std::get_if<ast::Call>(&root);
    if (call != nullptr && (call->name == "@cast" || call->name == "@var")) return true;
    return at != id && may_point(scope, at);
}

// A whole target expression is a number, whatever its C type.
void resolve_target(Names& scope, ast::ExprId id) {
    const auto* name = scope.get<ast::Name>(id);
    if (name != nullptr && name->name == "$value" && !scope.around->written.empty())
        return scope.put(id, ast::Name{scope.around->written});
    if (name != nullptr && name->name == "$$name" && scope.around->row != nullptr &&
        scope.around->row->variables == "marker") {
        if (!scope.around->mark.empty()) return scope.put(id, ast::String{scope.around->mark});
        scope.put(id, ast::Call{"__mark_name", scope.span(id), {}});
        return resolve_expr(scope, id);
    }
    if (shown_whole(scope, id)) return;
    resolve_path(scope, id);
    as_long(scope, id);
}

void as_long(Names& scope, ast::ExprId id) {
    const auto* number = scope.get<ast::Integer>(id);
    if ((number && number->value <= INT64_MAX) || std::holds_alternative<ast::String>(scope.node(id))) return;
    const ast::ExprId inner = moved(scope, id);
    scope.put(id, ast::Cast{{scope.span(id), std::string(plain_long), 0, {}}, inner, true});
}

// The expression as lt writes it, with its C type.
void resolve_path(Names& scope, ast::ExprId id) {
    const ast::ExprId root = root_of(scope, id);
    const auto* name = scope.get<ast::Name>(root);
    const bool of_entry = name != nullptr && scope.around->at_return && name->name.starts_with("$") &&
                          name->name != "$return" && !is_special(name->name);
    for (ast::ExprId at = id; at != root;) {
        const ast::ExprNode step = scope.node(at);
        if (const auto* index = std::get_if<ast::Index>(&step)) resolve_expr(scope, index->index);
        if (const auto* member = std::get_if<ast::Member>(&step); member && member->field.ends_with('$')) {
            scope.diags.error(member->field_span, "lt cannot print a whole structure here yet").hint =
                "print its members";
        }
        at = std::holds_alternative<ast::Index>(step) ? std::get<ast::Index>(step).base
                                                      : std::get<ast::Member>(step).base;
    }
    target_root(scope, root);
    if (of_entry) at_entry(scope, id);
}

bool resolve_if_there(Names& scope, ast::ExprId id) {
    const ast::ExprNode first = scope.node(root_of(scope, id));
    const auto* root = std::get_if<ast::Name>(&first);
    const std::string_view name = root != nullptr ? root->name : std::string_view();
    const bool of_result = name == "$$return" || name.starts_with("$return$") || name == "$return";
    if (of_result && scope.around->row != nullptr && !has_result(scope)) return false;
    if (name == "$$return") {
        if (scope.around->row == nullptr) return false;
        scope.put(id, ast::Name{"$return"});
        return resolve_path(scope, id), true;
    }
    const bool of_mark = scope.around->row != nullptr && scope.around->row->variables == "marker";
    if (name == "$$name" && of_mark) return resolve_target(scope, id), true;
    if (shown_whole(scope, id)) return true;
    if (is_special(name)) return false;
    return resolve_path(scope, id), true;
}

// The value at the function's entry.
void at_entry(Names& scope, ast::ExprId id) {
    if (std::holds_alternative<ast::Integer>(scope.node(id))) return;
    const ast::ExprId inner = moved(scope, id);
    scope.put(id, ast::Call{"entry", scope.span(id), {inner}});
}

}  // namespace lt::stp
