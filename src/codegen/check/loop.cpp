// Loops. An order, a limit or a choice of keys in a loop over a map needs a block that lt itself runs.
#include "codegen/check/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "codegen/check/body.h"
#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/local.h"
#include "codegen/check/map.h"
#include "codegen/check/pair.h"
#include "codegen/check/samples.h"
#include "codegen/check/statement.h"
#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

constexpr uint64_t most_unrolled = 100;
constexpr uint64_t most_copies = 10000;

uint64_t copies(const ast::Program& program, const ast::Unroll& node);
uint64_t copies(const ast::Program& program, const ast::Block& block);

// Of the functions and macros that an expression calls: each is a block in it.
uint64_t copies(const ast::Program& program, ast::ExprId id) {
    uint64_t most = 1;
    ast::walk(program, id, [&](ast::ExprId part) {
        const auto* called = program.get<ast::BlockValue>(part);
        if (called == nullptr) return true;
        most = std::max(most, copies(program, called->block));
        if (called->value) most = std::max(most, copies(program, *called->value));
        return false;
    });
    return most;
}

// The number of copies of its innermost block.
uint64_t copies(const ast::Program& program, const ast::Block& block) {
    uint64_t most = 1;
    for (const ast::StmtId id : block.statements) {
        ast::each_expr(program[id], [&](ast::ExprId part) { most = std::max(most, copies(program, part)); });
        if (const auto* inner = program.get<ast::Unroll>(id))
            most = std::max(most, copies(program, *inner));
        else
            ast::each_block(program[id], [&](const ast::Block& b) { most = std::max(most, copies(program, b)); });
    }
    return most;
}

uint64_t copies(const ast::Program& program, const ast::Unroll& node) {
    const auto* count = program.get<ast::Integer>(node.count);
    return (count ? std::min(count->value, most_unrolled) : 1) * copies(program, node.body);
}

void in_loop(CheckContext& c, const std::function<void()>& body) {
    c.loops++;
    in_new_scope(c, body);
    c.loops--;
}

using By = ast::MapOrder::By;

// The aggregations that have a statistic.
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
    const auto row = std::ranges::find_if(statistics, [&](const StatisticRow& r) { return r.by == by; });
    return row == statistics.end() || std::ranges::find(row->of, a) != row->of.end();
}

bool has_any_part(CheckContext& c, const ast::Map& map) {
    return std::ranges::any_of(
        map.key, [&](ast::ExprId part) { return std::holds_alternative<ast::AnyPart>(c.expr(part).node); });
}

// Like map_at(), but skips the parts that are `*`.
void merge_chosen_parts(CheckContext& c, ast::ExprId id, const ast::Map& map, uint32_t index) {
    if (c.maps[index].seen_key && c.maps[index].key.size() != map.key.size()) {
        c.error(id, fmt::format("`{}` has a key of {} parts elsewhere, not {}", c.maps[index].name,
                                c.maps[index].key.size(), map.key.size()));
        return;
    }
    for (size_t i = 0; i < map.key.size(); i++) {
        if (!std::holds_alternative<ast::AnyPart>(c.expr(map.key[i]).node)) {
            merge_key(c, index, check_key_part(c, map.key[i]), i, map.key[i]);
        } else if (i >= c.maps[index].key.size()) {
            c.maps[index].key.push_back(nothing());
        }
    }
}

void check_order(CheckContext& c, const ast::MapOrder& order, uint32_t map) {
    const MapInfo& info = c.maps[map];
    if (order.part && info.seen_key && *order.part >= info.key.size()) {
        c.error(order.span, fmt::format("the key of `{}` has no part {}", info.name, *order.part)).hint =
            fmt::format("its parts are 0 to {}", info.key.size() - 1);
    }
    const bool extremes = order.by == By::min || order.by == By::max;
    const int64_t parts = extremes ? samples_extremes : order.by == By::variance ? samples_squares : 0;
    if (info.value.aggregation == Aggregation::samples && parts != 0) require_statistics(c, map, {parts}, order.span);
    if (info.value.kind == Kind::none || has_statistic(info.value.aggregation, order.by)) return;
    c.error(order.span,
            fmt::format("`{}` holds {}, which has no {}", info.name, type_name(info.value), spelling(order.by)));
}

void check_limit(CheckContext& c, ast::ExprId limit) {
    const Type t = check_value(c, limit);
    if (t.kind == Kind::none || (t.kind == Kind::integer && t.view != View::duration)) return;
    c.error(limit, fmt::format("the number of entries is an integer, not {}", type_name(t)));
}

}  // namespace

void check_statement(CheckContext& c, const ast::Stmt&, const ast::While& node) {
    check_condition(c, node.condition, "a condition");
    in_loop(c, [&] { check_block(c, node.body); });
}

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::ForRange& node) {
    for (ast::ExprId end : {node.from, node.to}) {
        const Type t = check_value(c, end);
        if (t.kind == Kind::none || (t.kind == Kind::integer && t.view != View::duration)) continue;
        c.error(end, fmt::format("the ends of a range are integers, not {}", type_name(t))).hint =
            "for example `for ($i : 0..10) { ... }`";
    }
    in_loop(c, [&] {
        c.declared(stmt) = declare_local(c, node.name, node.name_span, {node.name, integer_type()});
        check_block(c, node.body);
    });
}

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::ForMap& node) {
    const auto* map = std::get_if<ast::Map>(&c.expr(node.map).node);
    const bool chooses = map != nullptr && map->has_key;
    if ((node.order || node.limit || chooses) && !require_host(c, c.span(node.map))) return;
    if (map == nullptr || (chooses && !has_any_part(c, *map))) {
        c.error(node.map, "a loop goes over a range of integers or over a map").hint =
            "for example `for ($i : 0..10) { ... }` or `for ($pair : @map) { ... }`";
        return;
    }
    const uint32_t index = map_at(c, node.map, *map, true);
    const bool assumes = c.typed.assume_numbers && !c.maps[index].seen_key;
    if (assumes) assume_key(c, c.maps[index], 1);
    if (c.maps[index].seen_key && c.maps[index].key.empty()) {
        c.error(node.map, fmt::format("`{}` has no key: it is one value", c.maps[index].name)).hint =
            "a loop goes over a map with keys";
    }
    if (chooses) merge_chosen_parts(c, node.map, *map, index);
    if (node.order) check_order(c, *node.order, index);
    if (node.limit) check_limit(c, *node.limit);
    in_loop(c, [&] {
        LocalInfo info{node.name, nothing()};
        info.pair_of = index;
        c.declared(stmt) = declare_local(c, node.name, node.name_span, std::move(info));
        check_block(c, node.body);
    });
    if (assumes) c.maps[index].seen_key = true;  // with as many parts as the block uses
}

void check_statement(CheckContext& c, const ast::Stmt&, const ast::Unroll& node) {
    const auto* count = std::get_if<ast::Integer>(&c.expr(node.count).node);
    c.type(node.count) = integer_type();
    if (count == nullptr || count->value == 0 || count->value > most_unrolled) {
        const bool is_zero = count != nullptr && count->value == 0;
        c.error(node.count,
                fmt::format("`unroll` takes a literal number from 1 to {}{}", most_unrolled, is_zero ? ", not 0" : ""))
            .hint =
            is_zero
                ? "an argument of the script that is not given, such as `$1`, is 0: write it after the "
                  "script's name"
                : "for more iterations, or a number that is only known at run time, write `for ($i : 0..N) { ... }`";
    }
    if (const uint64_t all = copies(c.program, node); all > most_copies)
        c.error(node.count,
                fmt::format("`unroll` within `unroll` makes {} copies of a block; the limit is {}", all, most_copies))
            .hint = "write `for ($i : 0..N) { ... }` for one of them";
    in_loop(c, [&] { check_block(c, node.body); });
}

}  // namespace lt
