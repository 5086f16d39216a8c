// What only lt itself does, and so only in blocks that it runs: loops over a map in an order, with a limit, over some
// of its keys.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "check.h"
#include "host.h"
#include "runtime/samples.h"

namespace lt {
namespace {

using By = ast::MapOrder::By;

// The statistics that there are of what a map collects.
struct StatisticRow {
    By by;
    std::array<Aggregation, 7> of;
};
constexpr std::array statistics{
    StatisticRow{By::count,
                 {Aggregation::count, Aggregation::avg, Aggregation::stats, Aggregation::dist, Aggregation::hist,
                  Aggregation::lhist, Aggregation::samples}},
    StatisticRow{By::sum,
                 {Aggregation::sum, Aggregation::avg, Aggregation::stats, Aggregation::dist, Aggregation::samples}},
    StatisticRow{By::min, {Aggregation::min, Aggregation::dist, Aggregation::samples}},
    StatisticRow{By::max, {Aggregation::max, Aggregation::dist, Aggregation::samples}},
    StatisticRow{By::avg, {Aggregation::avg, Aggregation::stats, Aggregation::dist, Aggregation::samples}},
    StatisticRow{By::variance, {Aggregation::samples}},
};

bool has_statistic(Aggregation a, By by) {
    const auto row =
        std::find_if(statistics.begin(), statistics.end(), [&](const StatisticRow& r) { return r.by == by; });
    return row == statistics.end() || std::find(row->of.begin(), row->of.end(), a) != row->of.end();
}

}  // namespace

bool BodyChecker::needs_host(Span where) {
    if (host_possible(body_.place) && region_ == Region::body) {
        body_.host = body_.only_host = true;
        return true;
    }
    diags_.error(where, "only lt itself can do this, and here the kernel runs the program").hint =
        "do it in BEGIN, END, an interval: or a self: probe";
    return false;
}

bool BodyChecker::has_any_part(const ast::Map& map) const {
    return std::any_of(map.key.begin(), map.key.end(),
                       [&](ast::ExprId part) { return std::holds_alternative<ast::AnyPart>(program_[part].node); });
}

// As map_at(), but for those parts that say nothing.
void BodyChecker::chosen_parts(ast::ExprId id, const ast::Map& map, uint32_t index) {
    if (maps_[index].seen_key && maps_[index].key.size() != map.key.size()) {
        diags_.error(span(id), fmt::format("{} has a key of {} parts elsewhere, not {}", maps_[index].name,
                                           maps_[index].key.size(), map.key.size()));
        return;
    }
    for (size_t i = 0; i < map.key.size(); i++) {
        if (!std::holds_alternative<ast::AnyPart>(program_[map.key[i]].node)) {
            const ast::ExprId part = map.key[i];
            merge_key(index, kept(part, value(part)), i, span(part));
        } else if (i >= maps_[index].key.size()) {
            maps_[index].key.push_back(nothing());
        }
    }
}

void BodyChecker::order_fits(const ast::MapOrder& order, uint32_t map) {
    const MapInfo& info = maps_[map];
    if (order.part && info.seen_key && *order.part >= info.key.size()) {
        diags_.error(order.span, fmt::format("the key of {} has no part {}", info.name, *order.part)).hint =
            fmt::format("its parts are 0 to {}", info.key.size() - 1);
    }
    const bool extremes = order.by == By::min || order.by == By::max;
    const int64_t parts = extremes ? samples_extremes : order.by == By::variance ? samples_squares : 0;
    if (info.value.aggregation == Aggregation::samples && parts != 0) extract(map, {parts}, order.span);
    if (info.value.kind == Kind::none || has_statistic(info.value.aggregation, order.by)) return;
    diags_.error(order.span, fmt::format("{} holds {}, of which there is no {}", info.name, type_name(info.value),
                                         spelling(order.by)));
}

void BodyChecker::limit_fits(ast::ExprId limit) {
    const Type t = value(limit);
    if (t.kind == Kind::none || (t.kind == Kind::integer && t.view != View::duration)) return;
    diags_.error(span(limit), fmt::format("how many entries is an integer, not {}", type_name(t)));
}

}  // namespace lt
