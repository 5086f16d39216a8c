#include "codegen/check/expr/type_of.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/check/expr/address.h"
#include "codegen/check/expr/assume.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/names/args.h"
#include "codegen/check/names/variable.h"
#include "codegen/check/pair.h"
#include "codegen/check/samples.h"
#include "codegen/typed/decided.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// A flexible array comes after its structure, and is not in a copy of it. Returns false after an error.
bool has_elements(CheckContext& c, ast::ExprId base, Span where, std::string_view name) {
    if (pointee(c.type(base)) || memory_of(c, base)) return true;
    c.error(where, fmt::format("a copy does not have the elements of `{}`, which has no fixed size", name)).hint =
        "read them through the address that was copied from";
    return false;
}

// The index of the part of a record with this name.
std::optional<size_t> part_named(const Type& record, std::string_view name) {
    if (record.kind != Kind::tuple) return {};
    const auto& names = record.shape->names;
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(static_cast<size_t>(found - names.begin()));
}

Type member_type(CheckContext& c, ast::ExprId id, const Type& owner, const ast::Member& node, bool user) {
    const std::vector<Member>& members = c.kernel.members(owner);
    const auto named = [&](std::string_view name) { return std::ranges::find(members, name, &Member::name); };
    auto found = named(node.field);
    if (found == members.end() && owner.shape) {
        found = named(member_successor(owner.shape->name, node.field));
        if (found != members.end())
            c.diags.note(node.field_span, fmt::format("this kernel's {} has no member `{}`; lt uses `{}`",
                                                      type_name(owner), node.field, found->name));
    }
    if (found == members.end()) {
        std::vector<std::string_view> names;
        for (const Member& m : members) names.push_back(m.name);
        Diag& d = c.error(node.field_span, fmt::format("{} has no member `{}`", type_name(owner), node.field));
        if (members.empty())
            d.message = owner.shape && of_program(*owner.shape)
                            ? fmt::format("the debug information of {} does not describe the members of {}",
                                          owner.shape->module, type_name(owner))
                            : fmt::format("this kernel's type information (BTF) does not describe the members of {}",
                                          type_name(owner));
        const auto near = closest(node.field, names);
        if (!near.empty())
            d.hint = did_you_mean(near);
        else if (!names.empty() && names.size() <= 12)
            d.hint = fmt::format("its members are {}", join(names, ", "));
        return nothing();
    }
    if (found->type.kind == Kind::none) {
        c.error(node.field_span, fmt::format("the type of `{}` cannot be read", node.field)).hint =
            "lt reads integers of up to 8 bytes, bit fields within 8 bytes, addresses, enumerations, structures and "
            "arrays of these";
        return nothing();
    }
    const bool is_inside = found->bit_size != 0 || uint64_t{found->offset} + found->type.size <= owner.size;
    if (!is_inside && !has_elements(c, node.base, node.field_span, node.field)) return nothing();
    c.use(id) = MemberUse{*found};
    Type type = found->type;
    if (found->bit_size == 0) return reached(std::move(type), user);
    type.size = 8;
    return type;
}

Type tuple_part(CheckContext& c, ast::ExprId id, const Type& tuple, Span where, const std::string& number) {
    const std::vector<Type>& parts = tuple.shape->parts;
    const size_t part = number.size() > 3 ? parts.size() : static_cast<size_t>(std::stoul(number));
    if (part >= parts.size()) {
        c.error(where, fmt::format("the tuple has no part {}", number)).hint =
            parts.empty() ? "it has none" : fmt::format("its parts are 0 to {}", parts.size() - 1);
        return nothing();
    }
    c.use(id) = MemberUse{{number, parts[part], tuple_offset(tuple, part)}};
    return parts[part];
}

Type element_type(CheckContext& c, const ast::Index& node, const Type& base, const ast::Integer* number) {
    const Type* each = pointee(base) ? pointee(base) : element(base);
    const Type letter = integer_type(1, true);
    if (base.kind == Kind::string) each = &letter;
    if (!each || each->size == 0) {
        Diag& d = c.error(node.base, fmt::format("{} has no elements", type_name(base)));
        if (base.kind == Kind::integer) d.hint = "give the type that it points to: `((uint64 *)arg0)[1]`";
        return nothing();
    }
    if (each->kind == Kind::none) {
        c.error(node.base, "floating-point numbers can only be printed with the whole array");
        return nothing();
    }
    const uint32_t count = pointee(base) ? 0 : base.size / each->size;
    const auto* list = std::get_if<MemberUse>(&c.use(node.base));
    if (list && count == 0 && !has_elements(c, node.base, c.span(node.base), list->member.name)) return nothing();
    if (number && count != 0 && number->value >= count) {
        c.error(node.index, fmt::format("{} has {} elements", type_name(base), count)).hint =
            fmt::format("the last is `[{}]`", count - 1);
        return nothing();
    }
    assume_size(c, *each);
    return reached(*each, base.user_memory);
}

}  // namespace

Type type_of(CheckContext& c, ast::ExprId id, const ast::Member& node) {
    if (const auto t = pair_member(c, id, node)) return *t;
    const auto* name = std::get_if<ast::Name>(&c.expr(node.base).node);
    const VariableRow* row = name ? find_variable(name->name) : nullptr;
    if (row && row->id == Variable::args)
        return is_available(c, node.base, *row) ? args_member(c, id, node) : nothing();
    const bool is_why = row && row->id == Variable::why && c.body.span < c.typed.spans.size();
    const bool longest = is_why && (node.field == "longest" || c.typed.spans[c.body.span].longest_wait);
    Type base = check_value(c, node.base);
    if (base.kind == Kind::none) return nothing();
    if (base.kind == Kind::integer && !pointee(base)) base = result_with_members(c, node.base);
    if (is_why) c.typed.spans[c.body.span].longest_wait = longest;  // not for its other parts
    if (pointee(base) && !is_readable(c, id, base.user_memory)) return nothing();
    const Type& owner = pointee(base) ? *pointee(base) : base;
    if (const auto part = part_named(owner, node.field))
        return tuple_part(c, id, owner, node.field_span, std::to_string(*part));
    if (owner.kind == Kind::tuple && !owner.shape->names.empty() && !is_number(node.field)) {
        c.error(node.field_span, fmt::format("the record has no field `{}`", node.field)).hint =
            fmt::format("its fields are {}", join(owner.shape->names, ", "));
        return nothing();
    }
    if (owner.kind == Kind::tuple && is_number(node.field))
        return tuple_part(c, id, owner, node.field_span, node.field);
    if (owner.kind == Kind::structure) return member_type(c, id, owner, node, base.user_memory);
    Diag& d = c.error(node.field_span, fmt::format("{} has no members", type_name(base)));
    if (base.kind == Kind::integer && !is_number(node.field))
        d.hint = fmt::format("give the type that it points to: `((struct NAME *){}).{}`",
                             short_text(c.program, node.base), node.field);
    return nothing();
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Index& node) {
    if (const auto number = bucket_type(c, node)) return *number;
    const Type base = check_value(c, node.base), at = check_value(c, node.index);
    if (base.kind == Kind::none || at.kind == Kind::none) return nothing();
    const auto* number = std::get_if<ast::Integer>(&c.expr(node.index).node);
    if (const auto part = known_value(c.program, c.body, node.index); base.kind == Kind::tuple && part)
        return tuple_part(c, id, base, c.span(node.index), std::to_string(*part));
    if (at.kind != Kind::integer || base.kind == Kind::tuple) {
        c.error(node.index, base.kind == Kind::tuple ? "the part of a tuple must be a literal number"
                                                     : fmt::format("an index is an integer, not {}", type_name(at)));
        return nothing();
    }
    if (pointee(base) && !is_readable(c, id, base.user_memory)) return nothing();
    return element_type(c, node, base, number);
}

Type type_of(CheckContext& c, ast::ExprId, const ast::Tuple& node) {
    std::vector<Type> parts;
    for (ast::ExprId part : node.parts) {
        parts.push_back(check_kept(c, part));
        if (parts.back().kind == Kind::none) return nothing();
    }
    return tuple_type(std::move(parts), node.names);
}

}  // namespace lt
