// Words with an @: casts, variables of programs, what the library names of lt's own.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "stdlib/builtins.h"
#include "stp_names.h"

namespace lt::stp {

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

// $x in begin, or in a timer: there is none.
bool NameResolver::has_no_variables(ast::ExprId id) const {
    const auto* name = std::get_if<ast::Name>(&node(root_of(id)));
    if (name == nullptr || !name->name.starts_with("$") || around_->row == nullptr) return false;
    return around_->row->variables.empty() && around_->row->result.empty();
}

void NameResolver::at_call(ast::ExprId id, const ast::Call& n) {
    if (n.name == "@defined" && n.arguments.size() == 1) {
        if (has_no_variables(n.arguments[0])) return put(id, ast::Integer{0});
        if (is_target(n.arguments[0])) {
            const size_t before = diags_.all().size();
            path(n.arguments[0]);
            if (diags_.all().size() != before) return;
        } else {
            arguments(n);
        }
        if (std::holds_alternative<ast::Integer>(node(n.arguments[0]))) return put(id, ast::Integer{0});
        return put(id, ast::Defined{n.arguments[0]});
    }
    if (n.name == "@entry" && n.arguments.size() == 1) {
        if (!around_->at_return) {
            diags_.error(span(id), "there is no entry here").hint = "@entry() stands in probes that end with .return";
            return;
        }
        Around inside = *around_;
        inside.at_return = false;
        const Around* outside = around_;
        around_ = &inside;
        arguments(n);
        around_ = outside;
        return put(id, ast::Call{"entry", n.name_span, n.arguments});
    }
    if (n.name == "@const" || n.name == "@enum") return named_number(id, n);
    if (n.name == "@cast") return target(id);
    if (n.name == "@cast_module_sizeof" || n.name == "@cast_sizeof") return size_of(id, n);
    if (n.name == "@lt" || n.name == "@lt_number") return native(id, n);
    if (statistic(id, n)) return;
    diags_.error(n.name_span, fmt::format("{} is not there yet", n.name));
}

// @const("AF_INET"), @enum("TCP_LISTEN"): a name is one of the kernel's types or headers; anything else is C.
void NameResolver::named_number(ast::ExprId id, const ast::Call& n) {
    const auto* text = n.arguments.empty() ? nullptr : std::get_if<ast::String>(&node(n.arguments[0]));
    if (text == nullptr) {
        diags_.error(n.name_span, fmt::format("{} takes a name in quotes", n.name)).hint =
            fmt::format("for example {}(\"TCP_LISTEN\")", n.name);
        return put(id, ast::Integer{0});
    }
    const std::string name = text->value;
    constexpr std::string_view of_names = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    const bool is_name = !name.empty() && name.find_first_not_of(of_names) == name.npos && name[0] > '9';
    if (!is_name) return value_in_c(id, n);
    put(id, ast::Name{name});
    as_long(id);
}

// @cast_module_sizeof("kernel", "struct file"), @cast_sizeof("struct file")
void NameResolver::size_of(ast::ExprId id, const ast::Call& n) {
    const auto* type = n.arguments.empty() ? nullptr : std::get_if<ast::String>(&node(n.arguments.back()));
    if (type == nullptr) {
        diags_.error(n.name_span, fmt::format("{} takes the name of a type in quotes", n.name));
        return;
    }
    ast::TypeName named = pointed_type(type->value, span(n.arguments.back()));
    named.pointers--;
    put(id, ast::SizeOf{named});
    as_long(id);
}

// @lt("name", arguments): how the library names what lt has; @lt_number() is a number of 64 bits with a sign.
void NameResolver::native(ast::ExprId id, const ast::Call& n) {
    const auto* name = n.arguments.empty() ? nullptr : std::get_if<ast::String>(&node(n.arguments[0]));
    if (name == nullptr) {
        diags_.error(n.name_span, "@lt takes the name of a function in quotes");
        return;
    }
    const std::string called = name->value;
    const std::vector<ast::ExprId> given(n.arguments.begin() + 1, n.arguments.end());
    constexpr std::array<std::string_view, 7> integers{"int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"};
    if (std::ranges::find(integers, called) != integers.end() && given.size() == 1) {
        expr(given[0]);
        return put(id, ast::Cast{{span(id), called, 0, {}}, given[0]});
    }
    if (called == "container_of") {
        container(id, given);
        return n.name == "@lt_number" ? as_long(id) : void();
    }
    const FunctionRow* row = find_function(called);
    for (size_t i = 0; i < given.size(); i++) {
        const auto* word = std::get_if<ast::String>(&node(given[i]));
        const bool is_word = row && word && i < row->wants().size() && row->wants()[i].want == Want::word;
        is_word ? put(given[i], ast::Name{word->value}) : expr(given[i]);
    }
    if (row == nullptr) {
        put(id, ast::Name{called});
    } else {
        put(id, ast::Call{called, n.name_span, given});
    }
    if (n.name == "@lt_number") as_long(id);
}

// @lt("container_of", address, "struct name", "member")
void NameResolver::container(ast::ExprId id, const std::vector<ast::ExprId>& given) {
    const auto text = [&](size_t i) { return i < given.size() ? std::get_if<ast::String>(&node(given[i])) : nullptr; };
    if (text(1) == nullptr || text(2) == nullptr) {
        diags_.error(span(id), "container_of takes an address, a type and a member, the latter two in quotes");
        return;
    }
    ast::TypeName type = pointed_type(text(1)->value, span(id));
    const std::string member = text(2)->value;
    expr(given[0]);
    const ast::TypeName address = type;
    type.pointers--;
    const ast::ExprId number = add(id, ast::Cast{{span(id), "uint64", 0, {}}, given[0]});
    const ast::ExprId offset = add(id, ast::OffsetOf{type, {member}});
    const ast::ExprId begin = add(id, ast::Binary{ast::BinaryOp::subtract, number, offset});
    put(id, ast::Cast{address, begin});
}

// A variable outside of all functions of a program: @var("x"), @var("x@file.c").
void NameResolver::global_variable(ast::ExprId id, const ast::Call& n) {
    const auto* name = n.arguments.empty() ? nullptr : std::get_if<ast::String>(&node(n.arguments[0]));
    const bool in_program = around_->row != nullptr && around_->row->shape.starts_with("process(s)") &&
                            around_->row->result.empty() && around_->row->variables == "args";
    if (name != nullptr && in_program) {
        const std::string variable = name->value;
        return put(id, ast::Member{add(id, ast::Name{"args"}), variable, span(n.arguments[0])});
    }
    diags_
        .error(n.name_span, name == nullptr ? "@var takes the name of a variable"
                                            : "@var is there in process().function and .statement, not elsewhere")
        .hint = "for example @var(\"count@main.c\")";
}

void NameResolver::cast(ast::ExprId id, const ast::Call& n) {
    if (n.name == "@var") return global_variable(id, n);
    const auto* type = n.arguments.size() > 1 ? std::get_if<ast::String>(&node(n.arguments[1])) : nullptr;
    if (n.name != "@cast" || type == nullptr) {
        diags_
            .error(n.name_span, n.name == "@cast" ? "@cast takes an address and the name of a type"
                                                  : fmt::format("{} is not there yet", n.name))
            .hint = n.name == "@cast" ? "for example @cast(p, \"struct file\")->f_flags" : "";
        return;
    }
    const ast::TypeName named = pointed_type(type->value, span(n.arguments[1]));
    expr(n.arguments[0]);
    put(id, ast::Cast{named, n.arguments[0]});
}

}  // namespace lt::stp
