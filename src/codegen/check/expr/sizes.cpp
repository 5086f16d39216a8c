#include "codegen/check/expr/sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/check/expr/assume.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/type_names.h"
#include "codegen/check/names/program.h"
#include "codegen/resolve/type_names.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

const std::vector<Member> no_members;

}  // namespace

uint32_t width_of(CheckContext& c, ast::ExprId id) {
    const auto* local = std::get_if<LocalUse>(&c.use(id));
    const uint32_t assigned = local ? c.body.locals[local->index].width : 0;
    return assigned != 0 ? assigned : c.type(id).size;
}

uint32_t own_size(CheckContext& c, ast::ExprId id) {
    const bool small = c.settings().least_sizes;
    const auto* parts = small ? std::get_if<ast::Tuple>(&c.expr(id).node) : nullptr;
    if (parts) {
        uint32_t end = 0, most = 1;
        const auto aligned = [](uint32_t at, uint32_t to) { return (at + to - 1) / to * to; };
        for (ast::ExprId part : parts->parts) {
            const uint32_t size = own_size(c, part), to = c.type(part).kind == Kind::integer ? size : 1;
            end = aligned(end, to) + size;
            most = std::max(most, to);
        }
        return aligned(end, most);
    }
    const auto* local = std::get_if<LocalUse>(&c.use(id));
    const uint32_t assigned = local && small ? c.body.locals[local->index].own_size : 0;
    if (assigned != 0) return assigned;
    if (c.type(id).kind != Kind::integer) return c.type(id).size;
    const auto number = small ? number_as_it_stands(c.program, id) : std::nullopt;
    if (!number) return width_of(c, id);
    const int64_t least = *number < 0 ? -*number - 1 : *number / 2;  // a negative number needs one more bit
    return least <= INT8_MAX ? 1 : least <= INT16_MAX ? 2 : least <= INT32_MAX ? 4 : 8;
}

Type size_of_value(CheckContext& c, ast::ExprId id, ast::ExprId argument) {
    const auto* given = std::get_if<ast::OffsetOf>(&c.expr(argument).node);
    if (given && given->path.empty()) return type_of(c, id, ast::SizeOf{given->type});
    const auto* name = std::get_if<ast::Name>(&c.expr(argument).node);
    if (name && !find_variable(name->name)) {
        if (const auto type = named_type(name->name, type_lookup(c))) {
            c.use(id) = ConstantUse{type->size};
            assume_size(c, *type);
            return integer_type(8, false);
        }
    }
    const Type type = check_value(c, argument);
    c.use(id) = ConstantUse{own_size(c, argument)};
    assume_size(c, type);
    return type.kind == Kind::none ? nothing() : integer_type(8, false);
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::SizeOf& node) {
    const auto type = type_named(c, node.type);
    if (!type) return nothing();
    c.use(id) = ConstantUse{type->size};
    assume_size(c, *type);
    return integer_type(8, false);
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::OffsetOf& node) {
    if (node.path.empty()) {
        c.error(id, "a type is not a value").hint =
            "`sizeof()`, `typeinfo()`, `container_of()` and macros take one, as in `typeof(struct page)`";
        return nothing();
    }
    auto type = type_named(c, node.type);
    if (type && pointee(*type)) type = Type(*pointee(*type));
    const Type owner = type.value_or(nothing());
    uint32_t offset = 0;
    for (size_t i = 0; type && i < node.path.size(); i++) {
        const std::vector<Member>& members = type->kind == Kind::structure ? c.kernel.members(*type) : no_members;
        const auto found = std::ranges::find_if(members, [&](const Member& m) { return m.name == node.path[i]; });
        if (found == members.end() || found->bit_size != 0) {
            c.error(id, fmt::format("{} has no member `{}` with an offset", type_name(*type), node.path[i]));
            return nothing();
        }
        offset += found->offset;
        type = Type(found->type);
    }
    c.use(id) = ConstantUse{offset};
    if (type && moves(owner)) c.assume({Assumed::offset, owner.shape->name, join(node.path, "."), {}, offset});
    return type ? integer_type(8, false) : nothing();
}

}  // namespace lt
