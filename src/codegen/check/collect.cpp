#include "codegen/check/collect.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/check/calls/arguments.h"
#include "codegen/check/map.h"
#include "codegen/check/names/variable.h"
#include "codegen/check/names/why.h"
#include "codegen/check/samples.h"
#include "codegen/typed/operators.h"
#include "runtime/border/layouts/series.h"

namespace lt {
namespace {

// True if the value is never negative as a signed 64-bit number. `...` is a latency, too.
bool is_never_negative(CheckContext& c, ast::ExprId id) {
    const auto* variable = std::get_if<VariableUse>(&c.use(id));
    if (variable && variable->id == Variable::latency) return true;
    return c.type(id).kind == Kind::integer && !c.type(id).is_signed && c.type(id).size < 8;
}

// Adds the interval, the number of intervals and the statistic per interval to the type of tseries().
Type with_intervals(CheckContext& c, const ast::Call& node, Type type) {
    const auto interval = number_as_it_stands(c.program, node.arguments[1]);
    const auto count = number_as_it_stands(c.program, node.arguments[2]);
    if (!interval || !count) return nothing();  // an error was reported
    int64_t of = 0;
    if (node.arguments.size() > 3) {
        const auto* text = std::get_if<ast::String>(&c.expr(node.arguments[3]).node);
        if (!text) return nothing();  // an error was reported
        const auto* const name = std::ranges::find(series_names, text->value);
        if (name == series_names.end() || name == series_names.begin()) {
            c.error(node.arguments[3], fmt::format("`tseries()` has no statistic `{}`", text->value)).hint =
                "use `\"avg\"`, `\"max\"`, `\"min\"` or `\"sum\"`, or none of them for the last value";
            return nothing();
        }
        of = name - series_names.begin();
    }
    const bool in_time = c.settings().conventions.plain_integers || c.type(node.arguments[1]).view == View::duration;
    if (*interval <= 0 || !in_time) {
        c.error(node.arguments[1], "an interval is a literal duration").hint = "for example `100ms`";
        return nothing();
    }
    if (*count < 1 || *count > most_series) {
        c.error(node.arguments[2], fmt::format("the number of intervals must be from 1 to {}", most_series));
        return nothing();
    }
    Shape shape;
    shape.buckets = {*interval, *count, of};
    type.shape = std::move(shape);
    return type;
}

// Adds the bounds of lhist(), or the bits of hist() if there are any, to the type.
Type with_buckets(CheckContext& c, const ast::Call& node, const FunctionRow& row, Type type) {
    std::vector<int64_t> buckets;
    for (size_t i = 1; i < node.arguments.size() && node.arguments.size() > 1; i++) {
        const bool duration = c.type(node.arguments[i]).view == View::duration;
        const auto bound = number_as_it_stands(c.program, node.arguments[i]);
        if (!bound) return nothing();  // an error was reported
        const bool fits = duration == (type.view == View::duration) || *bound == 0;
        if (!fits && row.aggregation == Aggregation::lhist) {
            c.error(node.arguments[i], "either all bounds and values are durations, or none is").hint =
                duration ? "divide the value by a unit: `latency / 1us`" : "give the number a unit: `10us`";
            return nothing();
        }
        buckets.push_back(*bound);
    }
    if (buckets.empty() || (row.aggregation == Aggregation::hist && buckets[0] == 0)) return type;
    if (row.aggregation == Aggregation::hist && (type.view == View::duration || buckets[0] > 5)) {
        c.error(node.arguments[1], type.view == View::duration ? "a histogram of durations does not take bits"
                                                               : "bits must be from 0 to 5")
            .hint = type.view == View::duration
                        ? "write `hist(value)`, or `dist(value)` for 16 buckets per doubling"
                        : "write `hist(value, 2)`, or `dist(value)` for 16 buckets per doubling";
        return nothing();
    }
    constexpr int64_t most_steps = 1000;
    if (row.aggregation == Aggregation::lhist && !bounds_fit(buckets[0], buckets[1], buckets[2])) {
        c.error(node.arguments[3], std::string(bounds_too_large)).hint = fmt::format("for example `{}`", row.example);
        return nothing();
    }
    if (row.aggregation == Aggregation::lhist &&
        (buckets[2] <= 0 || buckets[1] <= buckets[0] || (buckets[1] - buckets[0] - 1) / buckets[2] >= most_steps)) {
        c.error(node.arguments[3], fmt::format("there must be 1 to {} steps from min to max", most_steps)).hint =
            fmt::format("for example `{}`", row.example);
        return nothing();
    }
    Shape shape;
    shape.buckets = std::move(buckets);
    type.shape = std::move(shape);
    return type;
}

}  // namespace

bool bounds_fit(int64_t least, int64_t greatest, int64_t step) {
    int64_t end = 0, distance = 0;
    return !__builtin_add_overflow(greatest, step, &end) && !__builtin_sub_overflow(end, least, &distance);
}

const FunctionRow* aggregation_of(const ast::Program& program, ast::ExprId id) {
    const auto* call = program.get<ast::Call>(id);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    return row && row->aggregation != Aggregation::none ? row : nullptr;
}

void collect(CheckContext& c, ast::ExprId target, ast::ExprId call, const FunctionRow& row) {
    const auto& map = std::get<ast::Map>(c.expr(target).node);
    const auto& node = std::get<ast::Call>(c.expr(call).node);
    const uint32_t index = map_at(c, target, map, false);
    check_arguments(c, call, node, row);
    c.use(call) = CallUse{row.id};
    const bool asks_why = row.aggregation == Aggregation::why;
    if (asks_why && (!is_available(c, call, variable_row(Variable::why)) || !why_record(c, c.span(call), false)))
        return;
    if (!node.arguments.empty() && c.type(node.arguments[0]).kind == Kind::none) return;  // an error was reported
    const View view = node.arguments.empty() ? View::plain : c.type(node.arguments[0]).view;
    Type type = aggregation_type(row.aggregation, view == View::duration ? view : View::plain);
    if (!node.arguments.empty()) type.is_signed = c.type(node.arguments[0]).is_signed || view == View::duration;
    if (row.aggregation == Aggregation::count) type.is_signed = false;
    if (asks_why) type.view = View::duration;
    if (row.aggregation == Aggregation::dist && !node.arguments.empty())
        type.is_signed = !is_never_negative(c, node.arguments[0]);
    type = row.aggregation == Aggregation::tseries ? with_intervals(c, node, std::move(type))
                                                   : with_buckets(c, node, row, std::move(type));
    shape_samples(c, index, type);
    if (type.kind == Kind::none) return;
    c.type(call) = type;
    merge_value(c, index, type, c.span(target));
    c.type(target) = type;
}

}  // namespace lt
