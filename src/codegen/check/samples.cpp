#include "codegen/check/samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/check/body.h"
#include "codegen/check/calls/arguments.h"
#include "codegen/check/collect.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/map.h"
#include "codegen/check/pair.h"
#include "codegen/typed/samples.h"
#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

// The map whose value an argument is.
std::optional<uint32_t> collected_map(CheckContext& c, const FunctionRow& row, ast::ExprId argument) {
    if (const auto* map = std::get_if<ast::Map>(&c.expr(argument).node)) return map_at(c, argument, *map, false);
    if (const auto* member = std::get_if<ast::Member>(&c.expr(argument).node)) {
        const auto type = pair_member(c, argument, *member);
        const auto* pair = std::get_if<PairUse>(&c.use(argument));
        if (type && pair && pair->is_value) return pair->map;
    }
    c.error(argument, fmt::format("`{}()` takes a map that collects", row.name)).hint =
        fmt::format("write `{0}(@name)`, `{0}(@name[key])` or, in a loop over a map, `{0}($pair.1)`", row.name);
    return std::nullopt;
}

std::optional<std::vector<int64_t>> linear_bounds(CheckContext& c, const ast::Call& node) {
    std::vector<int64_t> out{samples_linear};
    for (size_t i = 1; i < node.arguments.size(); i++) {
        const auto number = ast::literal_integer(c.program, node.arguments[i]);
        if (!number) {
            c.error(node.arguments[i], "the bounds of a histogram are integer literals").hint =
                "for example `hist_linear(@x, 0, 1000, 100)`";
            return std::nullopt;
        }
        out.push_back(*number);
    }
    if (!bounds_fit(out[1], out[2], out[3])) {
        c.error(node.arguments[3], std::string(bounds_too_large)).hint = "for example `hist_linear(@x, 0, 1000, 100)`";
        return std::nullopt;
    }
    if (out[3] > 0 && out[2] > out[1] && (out[2] - out[1]) / out[3] + 3 <= most_linear_buckets) return out;
    c.error(node.arguments[3],
            fmt::format("there must be 1 to {} steps from the least to the greatest bound", most_linear_buckets - 3))
        .hint = "for example `hist_linear(@x, 0, 1000, 100)`";
    return std::nullopt;
}

}  // namespace

void check_collected(CheckContext& c, const FunctionRow& row, ast::ExprId argument) {
    const auto map = collected_map(c, row, argument);
    if (!map) return;
    const Type held = c.maps[*map].value;
    c.type(argument) = held;
    if (held.kind == Kind::none || statistic_words(held.aggregation, row.id)) return;
    c.error(argument, fmt::format("`{}` holds {}, which has no `{}()`", c.maps[*map].name, type_name(held), row.name))
        .hint = fmt::format("write `{} = samples(value)`", c.maps[*map].name);
}

void require_statistics(CheckContext& c, uint32_t map, std::vector<int64_t> parts, Span where) {
    MapInfo& info = c.maps[map];
    if (info.extracted.empty()) info.extracted = {0, 0, 0, 0};
    if ((parts[0] & samples_linear) != 0) {
        const bool known = (info.extracted[0] & samples_linear) != 0;
        if (known && !std::equal(parts.begin() + 1, parts.end(), info.extracted.begin() + 1)) {
            c.error(where, fmt::format("`{}` has another `hist_linear()`: from {} to {} by {}", info.name,
                                       info.extracted[1], info.extracted[2], info.extracted[3]))
                .hint = "use the same bounds, or another map";
            return;
        }
        std::copy(parts.begin() + 1, parts.end(), info.extracted.begin() + 1);
    }
    info.extracted[0] |= parts[0];
    if (info.value.aggregation == Aggregation::samples && info.value.shape) info.value.shape->buckets = info.extracted;
}

void shape_samples(CheckContext& c, uint32_t map, Type& type) {
    if (type.aggregation != Aggregation::samples) return;
    Shape shape;
    shape.buckets = c.maps[map].extracted.empty() ? std::vector<int64_t>{0, 0, 0, 0} : c.maps[map].extracted;
    type.shape = std::move(shape);
}

Type statistic_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const FunctionRow& row = *find_function(node.name);
    if (!check_arguments(c, id, node, row)) return nothing();
    const bool histogram = row.id == Function::hist_log || row.id == Function::hist_linear;
    if ((histogram || row.id == Function::variance_of) && !require_host(c, c.span(id))) return nothing();
    std::vector<int64_t> parts{statistic_parts(row.id)};
    if (row.id == Function::hist_linear) {
        auto bounds = linear_bounds(c, node);
        if (!bounds) return nothing();
        parts = *std::move(bounds);
    }
    const auto map = collected_map(c, row, node.arguments[0]);
    if (!map) return nothing();
    require_statistics(c, *map, std::move(parts), c.span(id));
    if (histogram) {
        if (c.printed == id || c.indexed == id) return c.maps[*map].value;
        c.error(id, fmt::format("`{}()` can only be printed or indexed", row.name)).hint =
            fmt::format("write `print({0}(@name))` or `{0}(@name)[64]`", row.name);
        return nothing();
    }
    const Type& held = c.maps[*map].value;
    if (row.id == Function::count_of || row.id == Function::variance_of) return row.result;
    return integer_type(8, held.kind == Kind::none || held.is_signed, held.view);
}

std::optional<Type> bucket_type(CheckContext& c, const ast::Index& node) {
    const auto* call = std::get_if<ast::Call>(&c.expr(node.base).node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    if (!row || (row->id != Function::hist_log && row->id != Function::hist_linear)) return std::nullopt;
    c.indexed = node.base;
    const Type base = check_expression(c, node.base), at = check_value(c, node.index);
    c.indexed.reset();
    if (at.kind != Kind::none && at.kind != Kind::integer) {
        c.error(node.index, fmt::format("the index of a bucket is a number, not {}", type_name(at)));
    }
    return base.kind == Kind::none && at.kind == Kind::none ? nothing() : integer_type(8, false);
}

}  // namespace lt
