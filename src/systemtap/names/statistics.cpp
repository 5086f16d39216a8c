// Statistics: `x <<< value`, and queries of x. Each statistic that a script queries is a map of its own, collected per
// CPU, so a script only pays for what it uses. A variance and histograms need the values themselves: then all is in one
// map of samples(). So are a count and a sum on their own: a report that clears both must see the same events in them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/rows.h"
#include "parser/tree/rewrite.h"
#include "systemtap/grammar/build.h"
#include "systemtap/names/effects.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/statistics.h"
#include "systemtap/names/targets.h"

namespace lt::stp {
namespace {

constexpr std::string_view sampled = "samples";

constexpr std::array statistics{
    Statistic{"count", "count", {}, "count_of"},
    Statistic{"sum", "sum", {}, "sum_of"},
    Statistic{"min", "min", {}, "min_of"},
    Statistic{"max", "max", {}, "max_of"},
    Statistic{"avg", "", {"sum", "count"}, "avg_of"},
    Statistic{"variance", "", {}, "variance_of"},
    Statistic{"hist_log", "", {}, "hist_log"},
    Statistic{"hist_linear", "", {}, "hist_linear"},
};

bool is_sampled(const GlobalUse& use) { return use.statistics.contains(std::string(sampled)); }

bool is_plain(const ast::ExprNode& node) {
    return std::holds_alternative<ast::Name>(node) || std::holds_alternative<ast::Integer>(node);
}

ast::ExprId map_of(Names& scope, ast::ExprId what, std::string_view statistic) {
    ast::Map map;
    if (const auto* name = scope.get<ast::Name>(what)) map.name = name->name;
    if (const auto* keyed = scope.get<ast::Map>(what)) map = *keyed;
    map.name = statistic_map(map.name, statistic);
    for (ast::ExprId& part : map.key) {
        part = ast::clone(scope.program, part);
        resolve_expr(scope, part);
    }
    return scope.add(what, std::move(map));
}

// For a query that reads x[key] several times.
void query_once(Names& scope, ast::Call& query, ast::Block& before) {
    const auto* keyed = scope.get<ast::Map>(query.arguments[0]);
    if (keyed == nullptr) return;
    ast::Map once = *keyed;
    save_key(scope, once, {}, before);
    resolve_block(scope, before);
    query.arguments[0] = scope.add(query.arguments[0], std::move(once));
}

void raise_if(Names& scope, ast::Block& block, ast::ExprId condition, Span where, std::string_view text) {
    const ast::ExprId message = scope.add(condition, ast::String{std::string(text)});
    const ast::StmtId raise = scope.program.add(where, ast::Raise{message});
    block.statements.push_back(scope.program.add(where, ast::If{condition, {{raise}}, {}}));
}

// Without values there is no minimum, no average and no histogram.
void require_values(Names& scope, const ast::Call& query, ast::Block& before) {
    const ast::ExprId what = query.arguments[0];
    const bool all_in_one = is_sampled(*collecting_global(scope, what));
    ast::ExprId count = map_of(scope, what, all_in_one ? sampled : "count");
    if (all_in_one) count = scope.add(what, ast::Call{"count_of", query.name_span, {count}});
    as_long(scope, count);
    const ast::ExprId none = scope.add(what, ast::Unary{ast::UnaryOp::logical_not, count});
    raise_if(scope, before, none, query.name_span, "empty aggregate");
}

// The index of a histogram's bucket, in a local.
ast::ExprId bucket_within(Names& scope, ast::ExprId index, Span where, int64_t count, ast::Block& before) {
    const std::string name = fmt::format("bucket#{}", ++scope.loops);
    before.statements.push_back(scope.add(index, ast::Let{name, scope.span(index), std::nullopt, index}));
    const auto is = [&](ast::BinaryOp op, int64_t bound) {
        const ast::ExprId local = scope.add(index, ast::Local{name});
        const ast::ExprId number = scope.add(index, ast::Integer{static_cast<uint64_t>(bound)});
        return scope.add(index, ast::Binary{op, local, number});
    };
    const ast::ExprId below = is(ast::BinaryOp::less, 0), above = is(ast::BinaryOp::greater_equal, count);
    const ast::ExprId outside = scope.add(index, ast::Binary{ast::BinaryOp::logical_or, below, above});
    raise_if(scope, before, outside, where, "histogram index out of range");
    return scope.add(index, ast::Local{name});
}

// foreach (v = k in x): v is the number by which the loop is sorted.
void value_of_samples(Names& scope, const ast::ForMap& loop, std::string_view function) {
    for (ast::StmtId statement : loop.body.statements) {
        const auto* assign = scope.program.get<ast::Assign>(statement);
        const auto* member = assign ? scope.get<ast::Member>(assign->value) : nullptr;
        const auto* pair = member && member->field == "1" ? scope.get<ast::Local>(member->base) : nullptr;
        if (pair == nullptr || pair->name != loop.name) continue;
        const ast::ExprId value = assign->value;
        scope.put(value, ast::Call{"@lt_number",
                                   scope.span(value),
                                   {scope.add(value, ast::String{std::string(function)}), moved(scope, value)}});
    }
}

// @hist_log(x) or @hist_linear(x, low, high, step)
bool asks_histogram(const Names& scope, const ast::Call& n) {
    return n.name.starts_with("@hist_") && find_statistic(std::string_view(n.name).substr(1)) != nullptr &&
           !n.arguments.empty() && collecting_global(scope, n.arguments[0]) != nullptr;
}

// lt's call for it.
ast::Call histogram_call(Names& scope, const ast::Call& queried) {
    const Statistic* which = find_statistic(std::string_view(queried.name).substr(1));
    std::vector<ast::ExprId> given{map_of(scope, queried.arguments[0], sampled)};
    for (size_t i = 1; i < queried.arguments.size(); i++) {
        resolve_expr(scope, queried.arguments[i]);
        given.push_back(queried.arguments[i]);
    }
    return ast::Call{std::string(which->query), queried.name_span, given};
}

}  // namespace

const Statistic* find_statistic(std::string_view name) { return find_row(statistics, name, &Statistic::name); }

void want(GlobalUse& use, const Statistic& statistic, bool sorts) {
    if (is_sampled(use)) return;
    const bool is_kept = !statistic.collects.empty(), is_made = !statistic.made[0].empty() && !sorts;
    if (is_kept) use.statistics.insert(std::string(statistic.name));
    if (is_made) use.statistics.insert(statistic.made.begin(), statistic.made.end());
    if (!is_kept && !is_made) use.statistics = {std::string(sampled)};
}

void join_sums(GlobalUse& use) {
    if (use.statistics == std::set<std::string>{"count", "sum"}) use.statistics = {std::string(sampled)};
}

void collect_nowhere(ast::Program& program) {
    std::map<std::string, ast::Map> missing;
    for (const ast::Expr& e : program.exprs) {
        const auto* map = std::get_if<ast::Map>(&e.node);
        if (map == nullptr || map->name.find('.') == map->name.npos) continue;
        const auto [at, is_new] = missing.try_emplace(map->name, *map);
        if (at->second.key.size() < map->key.size()) at->second = *map;
    }
    for (const ast::Stmt& s : program.stmts) {
        const auto* assign = std::get_if<ast::Assign>(&s.node);
        if (const auto* map = assign ? program.get<ast::Map>(assign->target) : nullptr) missing.erase(map->name);
    }
    if (missing.empty()) return;
    ast::ProbeSpec nowhere{{}, {{{}, "kprobe"}, {{}, "0"}}, {}};
    nowhere.alternative.optional = true;
    ast::Block body;
    const auto zero = [&] { return program.add(Span{}, ast::Integer{0}); };
    for (auto& [name, map] : missing) {
        const Statistic* row = find_statistic(std::string_view(name).substr(name.rfind('.') + 1));
        ast::Call collect{std::string(row ? row->collects : sampled), {}, {}};
        if (collect.name != "count") collect.arguments.push_back(zero());
        for (ast::ExprId& part : map.key) part = zero();
        const ast::ExprId target = program.add(Span{}, map), value = program.add(Span{}, std::move(collect));
        body.statements.push_back(program.add(Span{}, ast::Assign{target, std::nullopt, value}));
    }
    program.items.push_back({Span{}, ast::Action{{nowhere}, std::nullopt, std::move(body)}});
}

std::string statistic_map(const std::string& global, std::string_view statistic) {
    return fmt::format("{}.{}", global, statistic);
}

// A global that collects with <<< has no value that could be assigned.
bool no_value_for_statistic(Names& scope, const ast::Assign& assign) {
    const auto* name = scope.get<ast::Name>(assign.target);
    const GlobalUse* use = collecting_global(scope, assign.target);
    if (use == nullptr || (name != nullptr && scope.around->parameters.contains(name->name))) return false;
    scope.diags
        .error(scope.span(assign.target), fmt::format("{} collects values and cannot be assigned", use->global->name))
        .hint = "use `<<<` to add a value, `delete` to clear it";
    return true;
}

// The global that an expression names, with or without a key, if it collects.
const GlobalUse* collecting_global(const Names& scope, ast::ExprId id) {
    const auto* name = scope.get<ast::Name>(id);
    const auto* map = scope.get<ast::Map>(id);
    if (name == nullptr && map == nullptr) return nullptr;
    const auto found = scope.globals.find(name ? name->name : map->name);
    return found != scope.globals.end() && found->second.collects ? &found->second : nullptr;
}

std::vector<ast::ExprId> maps_of(Names& scope, ast::ExprId what) {
    std::vector<ast::ExprId> out;
    const GlobalUse* use = collecting_global(scope, what);
    for (const std::string& statistic : use->statistics) out.push_back(map_of(scope, what, statistic));
    return out;
}

// x <<< value
void resolve_collect(Names& scope, ast::ExprId id, const ast::Call& n) {
    ast::ExprId what = n.arguments[0];
    if (changes_walked(scope, what)) return;
    const GlobalUse* use = collecting_global(scope, what);
    if (use == nullptr) {
        scope.diags.error(scope.span(what), "`<<<` collects into a global").hint = "declare it: `global name`";
        return;
    }
    ast::BlockValue all;
    ast::ExprId value = n.arguments[1];
    const bool plain = is_plain(scope.node(value));
    const auto* keyed = scope.get<ast::Map>(what);
    // each of the maps gets a copy of the key; a port has one map
    if (keyed != nullptr && (use->statistics.size() > 1 || !plain) && !scope.given.for_port) {
        ast::Map once = *keyed;
        save_key(scope, once, {value}, all.block);
        resolve_block(scope, all.block);
        what = scope.add(what, std::move(once));
    }
    resolve_expr(scope, value);
    if (!plain) {
        const std::string name = fmt::format("value#{}", ++scope.loops);
        all.block.statements.push_back(scope.add(id, ast::Let{name, scope.span(value), std::nullopt, value}));
        value = scope.add(value, ast::Local{name});
    }
    for (const std::string& wanted : use->statistics) {
        const std::string function(wanted == sampled ? sampled : find_statistic(wanted)->collects);
        std::vector<ast::ExprId> given;
        if (wanted != "count") given.push_back(ast::clone(scope.program, value));
        const ast::ExprId called = scope.add(id, ast::Call{function, n.name_span, given});
        all.block.statements.push_back(scope.add(id, ast::Assign{map_of(scope, what, wanted), std::nullopt, called}));
    }
    scope.put(id, std::move(all));
}

// @count(x), @avg(x[key]) ...; false if it is not a statistic.
bool resolve_statistic(Names& scope, ast::ExprId id, const ast::Call& n) {
    const Statistic* queried = find_statistic(std::string_view(n.name).substr(1));
    if (queried == nullptr || n.arguments.empty()) return false;
    const GlobalUse* use = collecting_global(scope, n.arguments[0]);
    if (use == nullptr) {
        scope.diags.error(scope.span(n.arguments[0]), fmt::format("{} needs a global that collects values", n.name))
            .hint = "collect with `name <<< value`";
        return true;
    }
    const bool counts = queried->name == "count" || queried->name == "sum" || queried->query.starts_with("hist_");
    const bool may_fail = !counts && !scope.given.for_port;
    ast::Call query = n;
    ast::BlockValue all;
    if (may_fail) query_once(scope, query, all.block);
    const ast::ExprId what = query.arguments[0];
    const auto read = [&](std::string_view which) {
        const ast::ExprId map = map_of(scope, what, which);
        as_long(scope, map);
        return map;
    };
    if (queried->query.starts_with("hist_")) {
        scope.diags.error(scope.span(id), fmt::format("{} has no value: print it, or use one of its buckets", n.name))
            .hint = fmt::format("write `print({0}(name))`, or `{0}(name)[bucket]`", n.name);
    } else if (is_sampled(*use)) {
        scope.put(id, ast::Call{std::string(queried->query), n.name_span, {map_of(scope, what, sampled)}});
        as_long(scope, id);
    } else if (queried->collects.empty()) {
        scope.put(id, ast::Binary{ast::BinaryOp::divide, read(queried->made[0]), read(queried->made[1])});
    } else {
        scope.put(id, scope.node(read(queried->name)));
    }
    if (!may_fail) return true;
    all.value = moved(scope, id);
    require_values(scope, query, all.block);
    scope.put(id, std::move(all));
    return true;
}

// foreach over a statistic visits the map by which it is sorted: all its maps have the same keys.
void loop_over_statistic(Names& scope, ast::StmtId id) {
    auto loop = std::get<ast::ForMap>(scope.program[id].node);
    const GlobalUse* use = collecting_global(scope, loop.map);
    if (use == nullptr) return;
    using By = ast::MapOrder::By;
    const bool by_statistic = loop.order && loop.order->by != By::key && loop.order->by != By::value;
    if (is_sampled(*use)) {
        if (loop.order && loop.order->by == By::value) loop.order->by = By::count;
        loop.map = map_of(scope, loop.map, sampled);
        value_of_samples(scope, loop, by_statistic ? find_statistic(spelling(loop.order->by))->query : "count_of");
    } else {
        std::string_view by = "count";
        if (by_statistic) {
            by = spelling(loop.order->by);
            loop.order->by = By::value;
        }
        loop.map = map_of(scope, loop.map, by);
    }
    scope.program.put(id, loop);
}

// @hist_log(x)[bucket]
bool resolve_bucket(Names& scope, ast::ExprId id, const ast::Index& n) {
    const auto* queried = scope.get<ast::Call>(n.base);
    if (queried == nullptr || !asks_histogram(scope, *queried)) return false;
    ast::Call query = *queried;
    ast::BlockValue all;
    if (!scope.given.for_port) query_once(scope, query, all.block);
    const auto count = buckets_of(scope.program, query);
    scope.put(n.base, histogram_call(scope, query));
    resolve_expr(scope, n.index);
    if (!scope.given.for_port) {
        require_values(scope, query, all.block);
        const ast::ExprId bucket = count ? bucket_within(scope, n.index, query.name_span, *count, all.block) : n.index;
        scope.put(id, ast::Index{n.base, bucket});
    }
    as_long(scope, id);
    if (scope.given.for_port) return true;
    all.value = moved(scope, id);
    scope.put(id, std::move(all));
    return true;
}

// print(@hist_log(x))
bool print_histogram(Names& scope, ast::ExprId id, const ast::Call& n, bool with_newline) {
    const auto* inner = n.arguments.size() == 1 ? scope.get<ast::Call>(n.arguments[0]) : nullptr;
    if (inner == nullptr || !asks_histogram(scope, *inner)) return false;
    ast::Call query = *inner;
    ast::BlockValue all;
    if (!scope.given.for_port) {
        query_once(scope, query, all.block);
        require_values(scope, query, all.block);
    }
    const ast::Call print{"print", n.name_span, {scope.add(id, histogram_call(scope, query))}};
    if (scope.given.for_port && !with_newline) {
        scope.put(id, print);
        return true;
    }
    all.block.statements.push_back(scope.add(id, ast::Evaluate{scope.add(id, print)}));
    if (with_newline) {
        const ast::ExprId line = scope.add(id, ast::Call{"printf", n.name_span, {scope.add(id, ast::String{"\n"})}});
        all.block.statements.push_back(scope.add(id, ast::Evaluate{line}));
    }
    scope.put(id, std::move(all));
    return true;
}

}  // namespace lt::stp
