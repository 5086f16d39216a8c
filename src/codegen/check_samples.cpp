// What is asked of what a map collects: count_of(@x), min_of(@x[key]), hist_log($pair.1). It decides what samples()
// collects at all.
#include <fmt/format.h>

#include <algorithm>

#include "check.h"
#include "host.h"
#include "runtime/samples.h"
#include "samples.h"

namespace lt {

// The map whose value an argument is.
std::optional<uint32_t> BodyChecker::collected_map(const FunctionRow& row, ast::ExprId argument) {
    if (const auto* map = std::get_if<ast::Map>(&program_[argument].node)) return map_at(argument, *map, false);
    if (const auto* member = std::get_if<ast::Member>(&program_[argument].node)) {
        const auto type = pair_member(argument, *member);
        const auto* pair = std::get_if<PairUse>(&use(argument));
        if (type && pair && pair->is_value) return pair->map;
    }
    diags_.error(span(argument), fmt::format("{}() takes what a map collects", row.name)).hint =
        fmt::format("write {0}(@name), {0}(@name[key]) or, in a loop over a map, {0}($pair.1)", row.name);
    return std::nullopt;
}

void BodyChecker::collected_fits(const FunctionRow& row, ast::ExprId argument) {
    const auto map = collected_map(row, argument);
    if (!map) return;
    const Type held = maps_[*map].value;
    slot(argument) = held;
    if (held.kind == Kind::none || statistic_words(held.aggregation, row.id)) return;
    diags_
        .error(span(argument), fmt::format("{} holds {}, and {}() cannot be asked of that", maps_[*map].name,
                                           type_name(held), row.name))
        .hint = fmt::format("write `{} = samples(value)`", maps_[*map].name);
}

// Bounds are the same for all histograms of a map, as there is one.
void BodyChecker::extract(uint32_t map, std::vector<int64_t> asked, Span where) {
    MapInfo& info = maps_[map];
    if (info.extracted.empty()) info.extracted = {0, 0, 0, 0};
    if ((asked[0] & samples_linear) != 0) {
        const bool known = (info.extracted[0] & samples_linear) != 0;
        if (known && !std::equal(asked.begin() + 1, asked.end(), info.extracted.begin() + 1)) {
            diags_
                .error(where, fmt::format("{} has another hist_linear(): of {} to {} by {}", info.name,
                                          info.extracted[1], info.extracted[2], info.extracted[3]))
                .hint = "use the same bounds, or a map of another name";
            return;
        }
        std::copy(asked.begin() + 1, asked.end(), info.extracted.begin() + 1);
    }
    info.extracted[0] |= asked[0];
    if (info.value.aggregation == Aggregation::samples && info.value.shape) info.value.shape->buckets = info.extracted;
}

void BodyChecker::collected_shape(uint32_t map, Type& type) {
    if (type.aggregation != Aggregation::samples) return;
    Shape shape;
    shape.buckets = maps_[map].extracted.empty() ? std::vector<int64_t>{0, 0, 0, 0} : maps_[map].extracted;
    type.shape = std::move(shape);
}

std::optional<std::vector<int64_t>> BodyChecker::linear_bounds(const ast::Call& node) {
    std::vector<int64_t> out{samples_linear};
    for (size_t i = 1; i < node.arguments.size(); i++) {
        const auto number = known_integer(program_, node.arguments[i]);
        if (!number) {
            diags_.error(span(node.arguments[i]), "the bounds of a histogram are integers, known beforehand").hint =
                "for example hist_linear(@x, 0, 1000, 100)";
            return std::nullopt;
        }
        out.push_back(*number);
    }
    if (out[3] > 0 && out[2] > out[1] && (out[2] - out[1]) / out[3] + 3 <= most_linear_buckets) return out;
    diags_
        .error(span(node.arguments[3]),
               fmt::format("from least to most there are 1 to {} steps", most_linear_buckets - 3))
        .hint = "for example hist_linear(@x, 0, 1000, 100)";
    return std::nullopt;
}

// The type of the call's value; a histogram has none but that it can be printed and indexed.
Type BodyChecker::statistic(ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    const size_t before = diags_.all().size();
    arguments(id, node, row);
    if (diags_.all().size() != before) return nothing();
    const bool histogram = row.id == Function::hist_log || row.id == Function::hist_linear;
    if ((histogram || row.id == Function::variance_of) && !needs_host(span(id))) return nothing();
    std::vector<int64_t> asked{statistic_parts(row.id)};
    if (row.id == Function::hist_linear) {
        auto bounds = linear_bounds(node);
        if (!bounds) return nothing();
        asked = *std::move(bounds);
    }
    const auto map = collected_map(row, node.arguments[0]);
    if (!map) return nothing();
    extract(*map, std::move(asked), span(id));
    if (histogram) {
        if (printed_ == id || indexed_ == id) return maps_[*map].value;
        diags_.error(span(id), fmt::format("{}() is printed, or asked for a bucket", row.name)).hint =
            fmt::format("write print({0}(@name)), or {0}(@name)[64]", row.name);
        return nothing();
    }
    const Type& held = maps_[*map].value;
    if (row.id == Function::count_of || row.id == Function::variance_of) return row.result;
    return integer_type(8, held.kind == Kind::none || held.is_signed, held.view);
}

// hist_log(@x)[n]
std::optional<Type> BodyChecker::bucket(const ast::Index& node) {
    const auto* call = std::get_if<ast::Call>(&program_[node.base].node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    if (!row || (row->id != Function::hist_log && row->id != Function::hist_linear)) return std::nullopt;
    indexed_ = node.base;
    const Type base = expression(node.base), at = value(node.index);
    indexed_.reset();
    if (at.kind != Kind::none && at.kind != Kind::integer) {
        diags_.error(span(node.index), fmt::format("a bucket has a number, not {}", type_name(at)));
    }
    return base.kind == Kind::none && at.kind == Kind::none ? nothing() : integer_type(8, false);
}

}  // namespace lt
