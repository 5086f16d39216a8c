// Target variables of SystemTap's programs: $x, @cast() and the members that follow them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "stp_clone.h"
#include "stp_names.h"
#include "stp_shown.h"

namespace lt::stp {
namespace {

constexpr std::string_view plain_long = "int64";

// $$vars, $$parms, $$locals, also with a `$` behind them; empty: it is none of these.
constexpr std::array<std::string_view, 3> all_sorts{"vars", "parms", "locals"};
std::string_view all_arguments(std::string_view name) {
    if (!name.starts_with("$$")) return {};
    const auto is_it = [&](std::string_view sort) { return name.substr(2).starts_with(sort); };
    const auto sort = std::ranges::find_if(all_sorts, is_it);
    return sort == all_sorts.end() ? std::string_view() : *sort;
}

bool is_special(std::string_view name) { return name.starts_with("$$") || name.ends_with('$'); }

}  // namespace

bool is_all_arguments(std::string_view name) { return !all_arguments(name).empty(); }

ast::ExprId NameResolver::root_of(ast::ExprId id) const {
    for (;;) {
        if (const auto* member = std::get_if<ast::Member>(&node(id))) {
            id = member->base;
        } else if (const auto* index = std::get_if<ast::Index>(&node(id))) {
            id = index->base;
        } else {
            return id;
        }
    }
}

bool NameResolver::is_target(ast::ExprId id) const {
    const ast::ExprId at = root_of(id);
    const ast::ExprNode& root = node(at);
    const auto* name = std::get_if<ast::Name>(&root);
    if (name != nullptr && name->name.starts_with("$")) return true;
    const auto* call = std::get_if<ast::Call>(&root);
    if (call != nullptr && (call->name == "@cast" || call->name == "@var")) return true;
    return at != id && may_point(at);
}

// A whole target expression is a number, whatever type of C it has.
void NameResolver::target(ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&node(id));
    if (name != nullptr && name->name == "$value" && !around_->written.empty())
        return put(id, ast::Name{around_->written});
    if (name != nullptr && name->name == "$$name" && around_->row != nullptr && around_->row->variables == "marker") {
        if (!around_->mark.empty()) return put(id, ast::String{around_->mark});
        put(id, ast::Call{"__mark_name", span(id), {}});
        return expr(id);
    }
    if (shown_whole(id)) return;
    path(id);
    as_long(id);
}

// $$vars, $$parms, $$locals: all that has a name here. $x$, $x->y$$: what it points to, or its value.
bool NameResolver::shown_whole(ast::ExprId id) {
    const ast::ExprNode copy = node(id);
    const auto* name = std::get_if<ast::Name>(&copy);
    const bool of_entry = around_->at_return;
    if (name != nullptr && name->name == "$$return") {
        returned_text(id);
        return true;
    }
    if (name != nullptr && is_all_arguments(name->name)) {
        if (around_->row == nullptr || around_->row->variables != "args") return false;
        const std::string_view which = all_arguments(name->name);
        ast::Call all{"all_args", span(id), {}};
        if (which != all_sorts.front()) all.arguments = {add(id, ast::String{std::string(which)})};
        put(id, std::move(all));
        if (of_entry) at_entry(id);
        return true;
    }
    const auto* member = std::get_if<ast::Member>(&copy);
    const std::string_view last = name ? std::string_view(name->name) : member ? std::string_view(member->field) : "";
    const bool behind = member != nullptr && (last == "$" || last == "$$");  // of an element, or of a cast
    if ((last.starts_with("$$") && !behind) || !last.ends_with('$')) return false;
    if (last == "$" && !behind) {
        diags_.error(span(id), "`$` is no name").hint = "a target variable is $x, what it points to $x$";
        put(id, ast::Integer{0});
        return true;
    }
    const std::string without(behind ? "" : last.substr(0, last.find_last_not_of('$') + 1));
    const ast::ExprId value = behind ? member->base
                                     : add(id, name ? ast::ExprNode(ast::Name{without})
                                                    : ast::Member{member->base, without, member->field_span});
    path(value);
    // what is kept of the entry is the value, not the address
    auto* kept = std::get_if<ast::Call>(&program_.exprs[static_cast<size_t>(value)].node);
    const bool frozen = kept != nullptr && kept->name == "entry";
    const ast::ExprId inner = frozen ? kept->arguments[0] : value;
    const ast::ExprId all = add(id, ast::Call{"whole", span(id), {inner}});
    put(id, frozen ? ast::ExprNode(ast::Call{"entry", span(id), {all}}) : node(all));
    return true;
}

// $$return as a text; where nothing is returned it is empty.
void NameResolver::returned_text(ast::ExprId id) {
    const bool returns = around_->at_return || (around_->row != nullptr && !around_->row->result.empty());
    if (!returns) return put(id, ast::String{});
    const ast::ExprId value = add(id, ast::Name{"$return"}), format = add(id, ast::String{"return=0x%x"});
    put(id, ast::Call{"sprintf", span(id), {format, value}});
    sprinted(id);
}

void NameResolver::as_long(ast::ExprId id) {
    const auto* number = std::get_if<ast::Integer>(&node(id));
    if ((number && number->value <= INT64_MAX) || std::holds_alternative<ast::String>(node(id))) return;
    const ast::ExprId inner = moved(id);
    put(id, ast::Cast{{span(id), std::string(plain_long), 0, {}}, inner, true});
}

// The expression as lt writes it, with its type of C.
void NameResolver::path(ast::ExprId id) {
    const ast::ExprId root = root_of(id);
    const auto* name = std::get_if<ast::Name>(&node(root));
    const bool of_entry = name != nullptr && around_->at_return && name->name.starts_with("$") &&
                          name->name != "$return" && !is_special(name->name);
    for (ast::ExprId at = id; at != root;) {
        const ast::ExprNode step = node(at);
        if (const auto* index = std::get_if<ast::Index>(&step)) expr(index->index);
        if (const auto* member = std::get_if<ast::Member>(&step); member && member->field.ends_with('$')) {
            diags_.error(member->field_span, "printing a whole structure is not there yet").hint = "name its members";
        }
        at = std::holds_alternative<ast::Index>(step) ? std::get<ast::Index>(step).base
                                                      : std::get<ast::Member>(step).base;
    }
    target_root(root);
    if (of_entry) at_entry(id);
}

// As it was when the function was entered.
void NameResolver::at_entry(ast::ExprId id) {
    if (std::holds_alternative<ast::Integer>(node(id))) return;
    const ast::ExprId inner = moved(id);
    put(id, ast::Call{"entry", span(id), {inner}});
}

void NameResolver::target_root(ast::ExprId id) {
    if (may_point(id)) return cast_by_itself(id);
    if (std::holds_alternative<ast::Call>(node(id))) return cast(id, std::get<ast::Call>(ast::ExprNode(node(id))));
    const std::string name = std::get<ast::Name>(node(id)).name;
    const StpPoint* row = around_->row;
    if (is_special(name)) {
        diags_.error(span(id), fmt::format("{} is not there yet", name)).hint =
            "there are $$vars, $$parms, $$locals and $$return, and $x$ for what $x points to";
        return put(id, ast::Integer{0});
    }
    if (name == "$return") {
        // a span sees its end as one place, whatever the place of a return alone calls what was returned
        const std::string_view result = row && !around_->at_return ? row->result : "retval";
        if (result == "args.ret") return put(id, ast::Member{add(id, ast::Name{"args"}), "ret", span(id)});
        if (!result.empty()) return put(id, ast::Name{std::string(result)});
        diags_.error(span(id), "there is no $return here").hint = "it is there in probes that end with .return";
        return put(id, ast::Integer{0});
    }
    const std::string_view variables = row ? row->variables : "args";
    uint32_t number = 0;
    const bool is_argument = name.starts_with("$arg") &&
                             std::from_chars(name.data() + 4, name.data() + name.size(), number).ec == std::errc{} &&
                             number > 0;
    if (variables == "system call") {
        // what a system call gets in registers, by the machine's convention
        constexpr std::array<std::string_view, 6> registers{"di", "si", "dx", "r10", "r8", "r9"};
        const bool returns = !row->result.empty();
        const auto member = [&](ast::ExprId base, std::string_view field) {
            return ast::Member{base, std::string(field), span(id)};
        };
        const ast::ExprId args = add(id, ast::Name{"args"});
        if (name == "$syscall" && !returns) return put(id, member(args, "id"));
        const ast::ExprId saved = add(id, member(args, "regs"));
        if (name == "$syscall") return put(id, member(saved, "orig_ax"));
        if (is_argument && number <= registers.size()) return put(id, member(saved, registers[number - 1]));
    }
    if (variables == "args") return put(id, ast::Member{add(id, ast::Name{"args"}), name.substr(1), span(id)});
    if (variables == "marker" && is_argument) return put(id, ast::Name{fmt::format("arg{}", number - 1)});
    Diag& d = diags_.error(span(id), fmt::format("there is no {} here", name));
    d.hint = variables == "marker" ? "a mark's arguments are $arg1, $arg2 ..."
             : row->shape.starts_with("process")
                 ? "lt does not read variables of programs yet; int_arg(1) and pointer_arg(1) are there"
                 : "this probe has no variables of the kernel";
    put(id, ast::Integer{0});
}

}  // namespace lt::stp
