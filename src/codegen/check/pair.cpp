#include "codegen/check/pair.h"

#include <fmt/format.h>

#include <charconv>

#include "codegen/check/local.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

Type pair_key(const MapInfo& info) {
    if (info.key.empty()) return nothing();
    return info.key.size() == 1 ? info.key.front() : tuple_type(info.key);
}

// A value that is added up over the CPUs is read as its sum.
Type pair_value(const MapInfo& info) {
    return is_folded(info.value) ? integer_type(8, info.value.is_signed, info.value.view) : info.value;
}

}  // namespace

void assume_key(CheckContext& c, MapInfo& info, size_t parts) {
    constexpr size_t most = 16;
    if (!c.typed.assume_numbers || parts > most) return;
    if (!info.seen_key && info.key.size() < parts) info.key.resize(parts, integer_type());
    for (Type& part : info.key)
        if (part.kind == Kind::none) part = integer_type();
}

std::optional<Type> pair_member(CheckContext& c, ast::ExprId id, const ast::Member& node) {
    const auto* inner = std::get_if<ast::Member>(&c.expr(node.base).node);
    const bool is_part = inner != nullptr && inner->field == "0";
    const auto* local = std::get_if<ast::Local>(&c.expr(is_part ? inner->base : node.base).node);
    const NamedLocal* known = local == nullptr ? nullptr : find_local(c, local->name);
    if (known == nullptr || c.body.locals[known->index].pair_of == no_map) return std::nullopt;
    const uint32_t map = c.body.locals[known->index].pair_of;
    MapInfo& info = c.maps[map];
    const bool is_value = !is_part && node.field == "1";
    uint32_t part = 0;
    const char* end = node.field.data() + node.field.size();
    const bool is_number = std::from_chars(node.field.data(), end, part).ptr == end;
    if (is_number && !is_value) assume_key(c, info, is_part ? part + 1 : 1);
    if (!is_number || part > (is_part ? info.key.size() : 1)) {
        c.error(node.field_span, fmt::format("`${}` has no `{}`", local->name, node.field)).hint =
            fmt::format("`${0}.0` is the key, `${0}.1` the value", local->name);
        return nothing();
    }
    c.use(id) = PairUse{known->index, map, is_value, is_part ? part : 0};
    if (is_value) return pair_value(info);
    if (!is_part) return pair_key(info);
    return part < info.key.size() ? info.key[part] : nothing();
}

Type whole_pair(CheckContext& c, ast::ExprId id, uint32_t local) {
    const MapInfo& info = c.maps[c.body.locals[local].pair_of];
    std::vector<Type> parts = {pair_key(info), pair_value(info)};
    if (parts[0].kind == Kind::none || parts[1].kind == Kind::none) return nothing();
    if (parts[1].kind == Kind::aggregation) {
        c.error(id, fmt::format("`{}()` of `{}` cannot be read as a value", aggregation_name(info.value.aggregation),
                                info.name))
            .hint = fmt::format("`print({})` prints the map", info.name);
        return nothing();
    }
    c.use(id) = PairUse{local, c.body.locals[local].pair_of, false, 0, true};
    return tuple_type(std::move(parts));
}

}  // namespace lt
