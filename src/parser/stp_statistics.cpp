// Statistics: `x <<< value` and what is asked of x. Each statistic that a program asks for is a map of its own,
// collected per CPU, so a program pays for what it asks.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stp_clone.h"
#include "stp_names.h"

namespace lt::stp {
namespace {

// What collects a statistic: the function of lt, and what is handed to it.
enum class Given : uint8_t { nothing, value, square, buckets };
struct StatisticRow {
    std::string_view name;
    std::string_view function;
    Given given;
};
constexpr std::array statistics{
    StatisticRow{"count", "count", Given::nothing}, StatisticRow{"sum", "sum", Given::value},
    StatisticRow{"min", "min", Given::value},       StatisticRow{"max", "max", Given::value},
    StatisticRow{"avg", "avg", Given::value},       StatisticRow{"squares", "sum", Given::square},
    StatisticRow{"hist_log", "hist", Given::value}, StatisticRow{"hist_linear", "lhist", Given::buckets},
};

bool is_plain(const ast::ExprNode& node) {
    return std::holds_alternative<ast::Name>(node) || std::holds_alternative<ast::Integer>(node);
}

}  // namespace

std::string statistic_map(const std::string& global, std::string_view statistic) {
    return fmt::format("{}.{}", global, statistic);
}

// The global that an expression names, with or without a key, if it collects.
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
        const auto* row =
            std::find_if(statistics.begin(), statistics.end(), [&](const auto& r) { return r.name == wanted; });
        std::vector<ast::ExprId> given;
        if (row->given != Given::nothing) given.push_back(clone(program_, value));
        if (row->given == Given::square)
            given[0] = add(id, ast::Binary{ast::BinaryOp::multiply, given[0], clone(program_, value)});
        if (row->given == Given::buckets) {
            for (int64_t bound : use->buckets) given.push_back(add(id, ast::Integer{static_cast<uint64_t>(bound)}));
        }
        const ast::ExprId called = add(id, ast::Call{std::string(row->function), n.name_span, given});
        all.block.statements.push_back(program_.add(span(id), ast::Assign{map_of(what, wanted), std::nullopt, called}));
    }
    put(id, std::move(all));
}

// @count(x), @avg(x[key]) ...; false where it is none of these.
bool NameResolver::statistic(ast::ExprId id, const ast::Call& n) {
    const std::string name = n.name.substr(1);
    const bool is_one =
        name == "variance" || name == "avg" ||
        std::any_of(statistics.begin(), statistics.end(), [&](const auto& r) { return r.name == name; });
    if (!is_one || n.arguments.empty()) return false;
    const ast::ExprId what = n.arguments[0];
    if (collecting(what) == nullptr) {
        diags_.error(span(what), fmt::format("nothing is collected here that {} could be asked of", n.name)).hint =
            "collect with name <<< value";
        return true;
    }
    const auto read = [&](std::string_view which) {
        const ast::ExprId map = map_of(what, which);
        as_long(map);
        return map;
    };
    const auto divided = [&](ast::ExprId a, ast::ExprId b) {
        return add(id, ast::Binary{ast::BinaryOp::divide, a, b});
    };
    if (name == "hist_log" || name == "hist_linear") {
        diags_.error(span(id), fmt::format("{} has no value: it can be printed", n.name)).hint =
            fmt::format("write print({}(name))", n.name);
    } else if (name == "avg") {
        put(id, node(divided(read("sum"), read("count"))));
    } else if (name == "variance") {
        // (sum of squares - sum * average) / (count - 1)
        const ast::ExprId mean =
            add(id, ast::Binary{ast::BinaryOp::multiply, read("sum"), divided(read("sum"), read("count"))});
        const ast::ExprId above = add(id, ast::Binary{ast::BinaryOp::subtract, read("squares"), mean});
        const ast::ExprId below =
            add(id, ast::Binary{ast::BinaryOp::subtract, read("count"), add(id, ast::Integer{1})});
        put(id, node(divided(above, below)));
    } else {
        put(id, node(read(name)));
    }
    return true;
}

// foreach over what collects is over the map by which it is sorted: all have the same keys.
void NameResolver::loop_over_statistic(ast::StmtId id) {
    auto loop = std::get<ast::ForMap>(program_[id].node);
    if (collecting(loop.map) == nullptr) return;
    std::string_view by = "count";
    if (loop.order && loop.order->by != ast::MapOrder::By::key && loop.order->by != ast::MapOrder::By::value) {
        by = spelling(loop.order->by);
        loop.order->by = ast::MapOrder::By::value;
    }
    loop.map = map_of(loop.map, by);
    program_.stmts[static_cast<size_t>(id)].node = loop;
}

// print(@hist_log(x))
bool NameResolver::print_histogram(ast::ExprId id, const ast::Call& n, bool with_newline) {
    const auto* inner = n.arguments.size() == 1 ? std::get_if<ast::Call>(&node(n.arguments[0])) : nullptr;
    if (inner == nullptr || !inner->name.starts_with("@hist_") || inner->arguments.empty()) return false;
    const ast::Call histogram = *inner;
    if (collecting(histogram.arguments[0]) == nullptr) return false;
    const ast::ExprId map = map_of(histogram.arguments[0], histogram.name.substr(1));
    const ast::Call print{"print", n.name_span, {map}};
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
