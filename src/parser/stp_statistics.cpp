// Statistics: `x <<< value` and what is asked of x. Each statistic that a program asks for is a map of its own,
// collected per CPU, so a program pays for what it asks. A variance and histograms are asked of the values themselves:
// then all is in one map of samples(). So are a count and a sum alone: a report that clears both finds in them the same
// events.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stp_clone.h"
#include "stp_names.h"

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

}  // namespace

const Statistic* find_statistic(std::string_view name) {
    const auto* found = std::ranges::find(statistics, name, &Statistic::name);
    return found == statistics.end() ? nullptr : found;
}

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

std::string statistic_map(const std::string& global, std::string_view statistic) {
    return fmt::format("{}.{}", global, statistic);
}

// The global that an expression names, with or without a key, if it collects.
// What collects with <<< has no value of its own to be written over.
bool NameResolver::no_value_for_statistic(const ast::Assign& assign) {
    const auto* name = std::get_if<ast::Name>(&node(assign.target));
    const GlobalUse* use = collecting(assign.target);
    if (use == nullptr || (name != nullptr && around_->parameters.contains(name->name))) return false;
    diags_.error(span(assign.target), fmt::format("{} collects values, and has none of its own", use->global->name))
        .hint = "write <<< to give it one more, delete to begin anew";
    return true;
}

const GlobalUse* NameResolver::collecting(ast::ExprId id) const {
    const auto* name = std::get_if<ast::Name>(&node(id));
    const auto* map = std::get_if<ast::Map>(&node(id));
    if (name == nullptr && map == nullptr) return nullptr;
    const auto found = globals_.find(name ? name->name : map->name);
    return found != globals_.end() && found->second.collects ? &found->second : nullptr;
}

ast::ExprId NameResolver::map_of(ast::ExprId what, std::string_view statistic) {
    ast::Map map;
    if (const auto* name = std::get_if<ast::Name>(&node(what))) map.name = name->name;
    if (const auto* keyed = std::get_if<ast::Map>(&node(what))) map = *keyed;
    map.name = statistic_map(map.name, statistic);
    for (ast::ExprId& part : map.key) {
        part = clone(program_, part);
        expr(part);
    }
    return add(what, std::move(map));
}

std::vector<ast::ExprId> NameResolver::maps_of(ast::ExprId what) {
    std::vector<ast::ExprId> out;
    const GlobalUse* use = collecting(what);
    for (const std::string& statistic : use->statistics) out.push_back(map_of(what, statistic));
    return out;
}

// x <<< value
void NameResolver::collect(ast::ExprId id, const ast::Call& n) {
    const ast::ExprId what = n.arguments[0];
    if (changes_walked(what)) return;
    const GlobalUse* use = collecting(what);
    if (use == nullptr) {
        diags_.error(span(what), "`<<<` collects into a global").hint = "declare it: global name";
        return;
    }
    ast::BlockValue all;
    ast::ExprId value = n.arguments[1];
    const bool plain = is_plain(node(value));
    expr(value);
    if (!plain) {
        const std::string name = fmt::format("value#{}", ++loops_);
        all.block.statements.push_back(program_.add(span(id), ast::Let{name, span(value), std::nullopt, value}));
        value = add(value, ast::Local{name});
    }
    for (const std::string& wanted : use->statistics) {
        const std::string function(wanted == sampled ? sampled : find_statistic(wanted)->collects);
        std::vector<ast::ExprId> given;
        if (wanted != "count") given.push_back(clone(program_, value));
        const ast::ExprId called = add(id, ast::Call{function, n.name_span, given});
        all.block.statements.push_back(program_.add(span(id), ast::Assign{map_of(what, wanted), std::nullopt, called}));
    }
    put(id, std::move(all));
}

// @count(x), @avg(x[key]) ...; false where it is none of these.
bool NameResolver::statistic(ast::ExprId id, const ast::Call& n) {
    const Statistic* asked = find_statistic(std::string_view(n.name).substr(1));
    if (asked == nullptr || n.arguments.empty()) return false;
    const ast::ExprId what = n.arguments[0];
    const GlobalUse* use = collecting(what);
    if (use == nullptr) {
        diags_.error(span(what), fmt::format("nothing is collected here that {} could be asked of", n.name)).hint =
            "collect with name <<< value";
        return true;
    }
    const auto read = [&](std::string_view which) {
        const ast::ExprId map = map_of(what, which);
        as_long(map);
        return map;
    };
    if (asked->asked.starts_with("hist_")) {
        diags_.error(span(id), fmt::format("{} has no value: it can be printed, or asked for a bucket", n.name)).hint =
            fmt::format("write print({0}(name)), or {0}(name)[bucket]", n.name);
    } else if (is_sampled(*use)) {
        put(id, ast::Call{std::string(asked->asked), n.name_span, {map_of(what, sampled)}});
        as_long(id);
    } else if (asked->collects.empty()) {
        put(id, ast::Binary{ast::BinaryOp::divide, read(asked->made[0]), read(asked->made[1])});
    } else {
        put(id, node(read(asked->name)));
    }
    const bool counts = asked->name == "count" || asked->name == "sum" || asked->asked.starts_with("hist_");
    if (!counts && !given_.for_port) of_something(id, n, *use);
    return true;
}

// Of nothing there is no least value and no average.
void NameResolver::of_something(ast::ExprId id, const ast::Call& n, const GlobalUse& use) {
    const ast::ExprId value = moved(id);
    ast::ExprId count = map_of(n.arguments[0], is_sampled(use) ? sampled : "count");
    if (is_sampled(use)) count = add(id, ast::Call{"count_of", n.name_span, {count}});
    as_long(count);
    const ast::ExprId none = add(id, ast::Unary{ast::UnaryOp::logical_not, count});
    const ast::ExprId message = add(id, ast::String{"empty aggregate"});
    const ast::StmtId raise = program_.add(n.name_span, ast::Raise{message});
    ast::BlockValue both;
    both.block.statements.push_back(program_.add(n.name_span, ast::If{none, {{raise}}, {}}));
    both.value = value;
    put(id, std::move(both));
}

// foreach over what collects is over the map by which it is sorted: all have the same keys.
void NameResolver::loop_over_statistic(ast::StmtId id) {
    auto loop = std::get<ast::ForMap>(program_[id].node);
    const GlobalUse* use = collecting(loop.map);
    if (use == nullptr) return;
    using By = ast::MapOrder::By;
    const bool by_statistic = loop.order && loop.order->by != By::key && loop.order->by != By::value;
    if (is_sampled(*use)) {
        if (loop.order && loop.order->by == By::value) loop.order->by = By::count;
        loop.map = map_of(loop.map, sampled);
        value_of_samples(loop, by_statistic ? find_statistic(spelling(loop.order->by))->asked : "count_of");
    } else {
        std::string_view by = "count";
        if (by_statistic) {
            by = spelling(loop.order->by);
            loop.order->by = By::value;
        }
        loop.map = map_of(loop.map, by);
    }
    program_.stmts[static_cast<size_t>(id)].node = loop;
}

// foreach (v = k in x): v is a number, that by which the loop is sorted.
void NameResolver::value_of_samples(const ast::ForMap& loop, std::string_view function) {
    for (ast::StmtId statement : loop.body.statements) {
        const auto* assign = std::get_if<ast::Assign>(&program_[statement].node);
        const auto* member = assign ? std::get_if<ast::Member>(&node(assign->value)) : nullptr;
        const auto* pair = member && member->field == "1" ? std::get_if<ast::Local>(&node(member->base)) : nullptr;
        if (pair == nullptr || pair->name != loop.name) continue;
        const ast::ExprId value = assign->value;
        put(value,
            ast::Call{"@lt_number", span(value), {add(value, ast::String{std::string(function)}), moved(value)}});
    }
}

// What @hist_log(x) and @hist_linear(x, low, high, step) are in lt; none where it is none of these.
std::optional<ast::Call> NameResolver::histogram(const ast::Call& asked) {
    const Statistic* which = asked.name.starts_with("@hist_") ? find_statistic(asked.name.substr(1)) : nullptr;
    if (which == nullptr || asked.arguments.empty() || collecting(asked.arguments[0]) == nullptr) return {};
    std::vector<ast::ExprId> given{map_of(asked.arguments[0], sampled)};
    for (size_t i = 1; i < asked.arguments.size(); i++) {
        expr(asked.arguments[i]);
        given.push_back(asked.arguments[i]);
    }
    return ast::Call{std::string(which->asked), asked.name_span, given};
}

// @hist_log(x)[bucket]
bool NameResolver::bucket(ast::ExprId id, const ast::Index& n) {
    const auto* asked = std::get_if<ast::Call>(&node(n.base));
    if (asked == nullptr) return false;
    auto rows = histogram(ast::Call(*asked));
    if (!rows) return false;
    put(n.base, *std::move(rows));
    expr(n.index);
    as_long(id);
    return true;
}

// print(@hist_log(x))
bool NameResolver::print_histogram(ast::ExprId id, const ast::Call& n, bool with_newline) {
    const auto* inner = n.arguments.size() == 1 ? std::get_if<ast::Call>(&node(n.arguments[0])) : nullptr;
    if (inner == nullptr) return false;
    auto drawn = histogram(ast::Call(*inner));
    if (!drawn) return false;
    const ast::ExprId rows = add(id, *std::move(drawn));
    const ast::Call print{"print", n.name_span, {rows}};
    if (!with_newline) {
        put(id, print);
        return true;
    }
    ast::BlockValue both;
    both.block.statements.push_back(program_.add(span(id), ast::Evaluate{add(id, print)}));
    const ast::ExprId line = add(id, ast::Call{"printf", n.name_span, {add(id, ast::String{"\n"})}});
    both.block.statements.push_back(program_.add(span(id), ast::Evaluate{line}));
    put(id, std::move(both));
    return true;
}

}  // namespace lt::stp
