// @-words: casts, variables of programs, and lt's own functions for the library.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "stdlib/functions/builtins.h"
#include "systemtap/names/calls.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/statistics.h"
#include "systemtap/names/targets.h"

namespace lt::stp {
namespace {

// $x in begin, or in a timer: there are no variables.
bool has_no_variables(const Names& scope, ast::ExprId id) {
    const auto* name = scope.get<ast::Name>(root_of(scope, id));
    if (name == nullptr || !name->name.starts_with("$") || scope.around->row == nullptr) return false;
    return scope.around->row->variables.empty() && scope.around->row->result.empty();
}

// @const("AF_INET"), @enum("TCP_LISTEN"): a name is looked up in the kernel's types and headers; anything else is C.
void named_number(Names& scope, ast::ExprId id, const ast::Call& n) {
    const auto* text = n.arguments.empty() ? nullptr : scope.get<ast::String>(n.arguments[0]);
    if (text == nullptr) {
        scope.diags.error(n.name_span, fmt::format("{} takes a name in quotes", n.name)).hint =
            fmt::format("for example `{}(\"TCP_LISTEN\")`", n.name);
        return scope.put(id, ast::Integer{0});
    }
    const std::string name = text->value;
    constexpr std::string_view of_names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const bool is_name = !name.empty() && name.find_first_not_of(of_names) == name.npos && name[0] > '9';
    if (!is_name) return value_in_c(scope, id, n);
    scope.put(id, ast::Name{name});
    as_long(scope, id);
}

// "kernel<linux/fs.h>:/bin/program": modules and headers of the kernel are the kernel; a path and <signal.h> are not.
std::vector<std::string> type_sources(const std::string& modules) {
    std::vector<std::string> out;
    for (std::string_view one : split(modules, ':')) {
        if (one.empty()) continue;
        const bool is_path = one[0] == '/' && one.find('<') == one.npos && one.find(".ko") == one.npos;
        out.emplace_back(is_path || one[0] == '<' ? one : ast::kernel_source);
    }
    return out;
}

// @cast_module_sizeof("kernel", "struct file"), @cast_sizeof("struct file")
void size_of(Names& scope, ast::ExprId id, const ast::Call& n) {
    const auto* type = n.arguments.empty() ? nullptr : scope.get<ast::String>(n.arguments.back());
    if (type == nullptr) {
        scope.diags.error(n.name_span, fmt::format("{} takes the name of a type in quotes", n.name));
        return;
    }
    ast::TypeName named = pointed_type(type->value, scope.span(n.arguments.back()));
    const auto* module = n.arguments.size() > 1 ? scope.get<ast::String>(n.arguments.front()) : nullptr;
    if (module != nullptr) named.sources = type_sources(module->value);
    named.pointers--;
    scope.put(id, ast::SizeOf{named});
    as_long(scope, id);
}

// @lt("container_of", address, "struct name", "member")
void resolve_container(Names& scope, ast::ExprId id, const std::vector<ast::ExprId>& given) {
    const auto text = [&](size_t i) { return i < given.size() ? scope.get<ast::String>(given[i]) : nullptr; };
    if (text(1) == nullptr || text(2) == nullptr) {
        scope.diags.error(scope.span(id),
                          "container_of takes an address, a type and a member, the latter two in quotes");
        return;
    }
    ast::TypeName type = pointed_type(text(1)->value, scope.span(id));
    const std::string member = text(2)->value;
    resolve_expr(scope, given[0]);
    const ast::TypeName address = type;
    type.pointers--;
    const ast::ExprId number = scope.add(id, ast::Cast{{scope.span(id), "uint64", 0, {}}, given[0]});
    const ast::ExprId offset = scope.add(id, ast::OffsetOf{type, {member}});
    const ast::ExprId begin = scope.add(id, ast::Binary{ast::BinaryOp::subtract, number, offset});
    scope.put(id, ast::Cast{address, begin});
}

// @lt("name", arguments): lt's own functions, for the library; @lt_number() is a signed 64-bit number.
void resolve_native(Names& scope, ast::ExprId id, const ast::Call& n) {
    const auto* name = n.arguments.empty() ? nullptr : scope.get<ast::String>(n.arguments[0]);
    if (name == nullptr) {
        scope.diags.error(n.name_span, "`@lt` takes the name of a function in quotes");
        return;
    }
    const std::string called = name->value;
    const std::vector<ast::ExprId> given(n.arguments.begin() + 1, n.arguments.end());
    constexpr std::array<std::string_view, 7> integers{"int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"};
    if (std::ranges::find(integers, called) != integers.end() && given.size() == 1) {
        resolve_expr(scope, given[0]);
        return scope.put(id, ast::Cast{{scope.span(id), called, 0, {}}, given[0]});
    }
    if (called == "container_of") {
        resolve_container(scope, id, given);
        return n.name == "@lt_number" ? as_long(scope, id) : void();
    }
    const FunctionRow* row = find_function(called);
    for (size_t i = 0; i < given.size(); i++) {
        const auto* word = scope.get<ast::String>(given[i]);
        const bool is_word = row && word && i < row->wants().size() && row->wants()[i].want == Want::word;
        is_word ? scope.put(given[i], ast::Name{word->value}) : resolve_expr(scope, given[i]);
    }
    if (row == nullptr) {
        scope.put(id, ast::Name{called});
    } else {
        scope.put(id, ast::Call{called, n.name_span, given});
    }
    if (n.name == "@lt_number") as_long(scope, id);
}

// A global variable of a program: @var("x"), @var("x@file.c").
void global_variable(Names& scope, ast::ExprId id, const ast::Call& n) {
    const auto* name = n.arguments.empty() ? nullptr : scope.get<ast::String>(n.arguments[0]);
    const bool in_program = scope.around->row != nullptr && scope.around->row->shape.starts_with("process(s)") &&
                            scope.around->row->result.empty() && scope.around->row->variables == "args";
    if (name != nullptr && in_program) {
        const std::string variable = name->value;
        return scope.put(id, ast::Member{scope.add(id, ast::Name{"args"}), variable, scope.span(n.arguments[0])});
    }
    scope.diags
        .error(n.name_span, name == nullptr ? "`@var` takes the name of a variable"
                                            : "`@var` only works in process().function and .statement")
        .hint = "for example `@var(\"count@main.c\")`";
}

}  // namespace

ast::TypeName pointed_type(std::string text, Span where) {
    ast::TypeName type;
    type.span = where;
    while (!text.empty() && (text.back() == '*' || text.back() == ' ')) {
        if (text.back() == '*') type.pointers++;
        text.pop_back();
    }
    for (std::string_view word : split(text, ' ')) {
        if (word.empty() || word == "const" || word == "volatile") continue;
        type.name += (type.name.empty() ? "" : " ") + std::string(word);
    }
    type.any_tag = true;
    type.pointers++;
    return type;
}

ast::TypeName type_of_cast(const Names& scope, const ast::Call& n) {
    ast::TypeName type = pointed_type(scope.get<ast::String>(n.arguments[1])->value, scope.span(n.arguments[1]));
    if (n.arguments.size() < 3) return type;
    if (const auto* modules = scope.get<ast::String>(n.arguments[2])) type.sources = type_sources(modules->value);
    return type;
}

void at_call(Names& scope, ast::ExprId id, const ast::Call& n) {
    if (n.name == "@defined" && n.arguments.size() == 1) {
        if (has_no_variables(scope, n.arguments[0])) return scope.put(id, ast::Integer{0});
        if (is_target(scope, n.arguments[0])) {
            const size_t before = scope.diags.all().size();
            if (!resolve_if_there(scope, n.arguments[0])) return scope.put(id, ast::Integer{0});
            if (scope.diags.all().size() != before) return;
        } else {
            resolve_arguments(scope, n);
        }
        if (std::holds_alternative<ast::Integer>(scope.node(n.arguments[0]))) return scope.put(id, ast::Integer{0});
        return scope.put(id, ast::Defined{n.arguments[0]});
    }
    if (n.name == "@entry" && n.arguments.size() == 1) {
        if (!scope.around->at_return) {
            scope.diags.error(scope.span(id), "this probe has no entry").hint =
                "`@entry()` works in probes that end with `.return`";
            return;
        }
        Around inside = *scope.around;
        inside.at_return = false;
        const Around* outside = scope.around;
        scope.around = &inside;
        resolve_arguments(scope, n);
        scope.around = outside;
        return scope.put(id, ast::Call{"entry", n.name_span, n.arguments});
    }
    if (n.name == "@const" || n.name == "@enum") return named_number(scope, id, n);
    if (n.name == "@cast") return resolve_target(scope, id);
    if (n.name == "@cast_module_sizeof" || n.name == "@cast_sizeof") return size_of(scope, id, n);
    if (n.name == "@lt" || n.name == "@lt_number") return resolve_native(scope, id, n);
    if (resolve_statistic(scope, id, n)) return;
    scope.diags.error(n.name_span, fmt::format("lt does not support {} yet", n.name));
}

void resolve_cast(Names& scope, ast::ExprId id, const ast::Call& n) {
    if (n.name == "@var") return global_variable(scope, id, n);
    const auto* type = n.arguments.size() > 1 ? scope.get<ast::String>(n.arguments[1]) : nullptr;
    if (n.name != "@cast" || type == nullptr) {
        scope.diags
            .error(n.name_span, n.name == "@cast" ? "`@cast` takes an address and the name of a type"
                                                  : fmt::format("lt does not support {} yet", n.name))
            .hint = n.name == "@cast" ? "for example `@cast(p, \"struct file\")->f_flags`" : "";
        return;
    }
    const ast::TypeName named = type_of_cast(scope, n);
    const bool in_kernel = scope.around->row != nullptr && !scope.around->row->shape.starts_with("process");
    if (scope.given.for_port && in_kernel && !named.sources.empty() &&
        std::ranges::find(named.sources, ast::kernel_source) == named.sources.end()) {
        scope.diags.error(named.span, fmt::format("a type of {} is not known here", named.sources.front())).hint =
            "lt takes the types of a `@cast` from the kernel or the probe's own program";
    }
    resolve_expr(scope, n.arguments[0]);
    scope.put(id, ast::Cast{named, n.arguments[0]});
}

}  // namespace lt::stp
