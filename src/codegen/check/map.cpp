#include "codegen/check/map.h"

#include <fmt/format.h>

#include "base/text.h"
#include "codegen/check/collect.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/expr/strings.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

// The name for messages. That of a chain's map, "@request.open", is one that no script can write.
std::string shown_map(const MapInfo& info) {
    const size_t dot = info.name.find('.');
    return dot == std::string::npos ? fmt::format("`{}`", info.name)
                                    : fmt::format("the chain `{}`", info.name.substr(1, dot - 1));
}

bool fits_both_signs(const CheckContext& c, ast::ExprId id) {
    const auto number = number_as_it_stands(c.program, id);
    return number && *number >= 0;
}

// Calls `visit` for an integer, or for those in a tuple, with whether it is a literal that fits both signs.
template <class Visit>
void each_integer(const CheckContext& c, Type& type, std::optional<ast::ExprId> value, const Visit& visit) {
    if (type.kind == Kind::integer) visit(type, value && fits_both_signs(c, *value));
    if (type.kind != Kind::tuple) return;
    const auto* tuple = value ? c.program.get<ast::Tuple>(*value) : nullptr;
    std::vector<Type>& parts = type.shape->parts;
    for (size_t i = 0; i < parts.size(); i++)
        each_integer(c, parts[i], tuple ? std::optional(tuple->parts[i]) : std::nullopt, visit);
}

}  // namespace

Type without_literal_signs(const CheckContext& c, Type type, std::optional<ast::ExprId> value) {
    each_integer(c, type, value, [](Type& t, bool is_literal) { t.is_signed = t.is_signed && !is_literal; });
    return type;
}

Type signs_of(const CheckContext& c, Type type, std::optional<ast::ExprId> value) {
    each_integer(c, type, value, [](Type& t, bool is_literal) { t.is_signed = !is_literal; });
    return type;
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Map& node) {
    MapInfo& info = c.maps[map_at(c, id, node, false)];
    if (info.value.kind == Kind::none && c.typed.assume_numbers) {
        info.value = integer_type();
        info.written = true;
    }
    return info.value;
}

uint32_t map_at(CheckContext& c, ast::ExprId id, const ast::Map& node, bool whole) {
    const uint32_t index = c.maps.index(node.name, c.span(id));
    c.use(id) = MapUse{index};
    if (whole) return index;
    std::vector<Type> parts;
    for (ast::ExprId part : node.key) parts.push_back(check_key_part(c, part));
    const bool is_one = parts.size() == 1;
    if (is_one && parts[0].kind == Kind::none) return index;  // a later round may find that it is a tuple
    const bool is_spread = is_one && is_key_of_parts(parts[0]);
    const auto* tuple = is_spread ? c.program.get<ast::Tuple>(node.key[0]) : nullptr;
    if (is_spread) parts = std::vector(parts[0].shape->parts);
    MapInfo& info = c.maps[index];
    if (info.seen_key && info.key.size() != parts.size()) {
        Diag& d = c.error(id, fmt::format("{} has a key of {} elsewhere, not {}", shown_map(info),
                                          plural(info.key.size(), "part"), parts.size()));
        d.notes.push_back({info.first, "it is first used here"});
        return index;
    }
    for (size_t i = 0; i < parts.size(); i++) {
        merge_key(c, index, parts[i], i, tuple ? tuple->parts[i] : node.key[is_one ? 0 : i]);
    }
    info.seen_key = true;
    return index;
}

void assign_map(CheckContext& c, const ast::Assign& node, const ast::Map& target) {
    if (const FunctionRow* row = aggregation_of(c.program, node.value)) {
        if (node.op) {
            c.error(node.value, fmt::format("`{}()` is assigned with `=`", row->name));
            return;
        }
        return collect(c, node.target, node.value, *row);
    }
    const uint32_t index = map_at(c, node.target, target, false);
    c.maps[index].written = true;
    const Type t = check_value(c, node.value);
    if (t.kind == Kind::none) return;
    if (node.op && t.kind != Kind::integer) {
        c.error(node.value, fmt::format("{} cannot be added to a map", type_name(t)));
        return;
    }
    Type held = kept_type(c, node.value, t);
    if (held.kind == Kind::none) return;
    if (node.op && c.maps[index].value.view == View::duration && *node.op != ast::BinaryOp::add &&
        *node.op != ast::BinaryOp::subtract) {
        held.view = View::duration;  // @d *= 2 stays a duration
    }
    const bool moves = node.op && (*node.op == ast::BinaryOp::add || *node.op == ast::BinaryOp::subtract);
    if (moves && c.maps[index].value.view == View::hex)
        held = c.maps[index].value;  // an address plus or minus an offset stays an address
    const bool is_difference = node.op && *node.op == ast::BinaryOp::subtract;
    if (is_difference && held.view != View::hex) held.is_signed = true;
    merge_value(c, index, held, c.span(node.target), is_difference ? std::nullopt : std::optional(node.value));
    c.type(node.target) = c.maps[index].value;
}

void merge_value(CheckContext& c, uint32_t map, const Type& type, Span where, std::optional<ast::ExprId> value) {
    MapInfo& info = c.maps[map];
    if (info.value.kind == Kind::none) {
        info.value = without_literal_signs(c, type, value);
        info.value_signs = signs_of(c, type, value);
        return;
    }
    const bool clash = apart(info.value, type) || info.value.aggregation != type.aggregation ||
                       units_differ(info.value, type) || names_differ(info.value, type) ||
                       (type.kind == Kind::aggregation && info.value.shape != type.shape) ||
                       (type.kind == Kind::aggregation && info.value.view != type.view);
    if (clash) {
        Diag& d = c.error(where, fmt::format("`{}` holds {} and cannot also hold {}", info.name, type_name(info.value),
                                             type_name(type)));
        d.notes.push_back({info.first, "it gets its type here"});
        const bool buckets = type.kind == Kind::aggregation && info.value.aggregation == type.aggregation;
        const std::string_view names = apart(info.value, type) ? "" : hint_of_names(info.value, type);
        d.hint = buckets && info.value.shape != type.shape
                     ? "a map has one set of buckets or intervals: use the same, or another map"
                 : names.empty() ? "use another map"
                                 : names;
        return;
    }
    info.value = joined(info.value, without_literal_signs(c, type, value));
    if (info.value_signs.kind == info.value.kind) info.value_signs = joined(info.value_signs, signs_of(c, type, value));
}

void merge_key(CheckContext& c, uint32_t map, const Type& type, size_t i, ast::ExprId part) {
    MapInfo& info = c.maps[map];
    const Type held = without_literal_signs(c, type, part), signs = signs_of(c, type, part);
    if (i >= info.key_signs.size()) info.key_signs.resize(i + 1);
    if (i >= info.key.size()) {
        info.key.push_back(held);
        info.key_signs[i] = signs;
        return;
    }
    if (held.kind == Kind::none) return;  // an error was reported
    if (info.key[i].kind == Kind::none) {
        info.key[i] = held;
        info.key_signs[i] = signs;
    }
    if (apart(info.key[i], held) ||
        ((held.kind == Kind::tuple || (has_looked_up_name(info.key[i]) && has_looked_up_name(held))) &&
         names_differ(info.key[i], held))) {
        Diag& d = c.error(part, fmt::format("part {} of the key of {} is {} elsewhere, not {}", i + 1, shown_map(info),
                                            type_name(info.key[i]), type_name(held)));
        d.notes.push_back({info.first, "its key is first used here"});
        return;
    }
    info.key[i] = joined(info.key[i], held);
    info.key_signs[i] = joined(info.key_signs[i], signs);
}

}  // namespace lt
