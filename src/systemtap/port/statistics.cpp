// `x <<< value` has become a map for each statistic of x. In .lt, one map collects and answers all queries.
#include <algorithm>
#include <map>

#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

// "x.sum" is {"x", "sum"}.
struct Parts {
    std::string global;
    std::string statistic;
};
std::optional<Parts> parts_of(const std::string& map) {
    const size_t dot = map.rfind('.');
    if (dot == std::string::npos) return {};
    return Parts{map.substr(0, dot), map.substr(dot + 1)};
}

// The front end's map for a global with several statistics.
constexpr std::string_view sampled = "samples";

class Statistics {
  public:
    Statistics(Tree& tree, const std::set<std::string>& only_written) : tree_(tree), only_written_(only_written) {}

    void run() {
        tree_.each_body([&](const ast::Block& body) { look(body); });
        for (auto& [name, global] : globals_) choose(name, global);
        tree_.each_body(
            [&](ast::Block& body) { tree_.change_blocks(body, [&](auto& statements) { collecting(statements); }); });
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) histogram(static_cast<ast::ExprId>(i));
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) average(static_cast<ast::ExprId>(i));
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) replace_query(static_cast<ast::ExprId>(i));
        for (const auto& [id, global] : values_) {
            if (const auto statistic = query_of(id)) plain_number(id, *statistic, globals_[global].collector);
        }
        for (ast::Stmt& s : tree_.program.stmts) {
            if (auto* loop = std::get_if<ast::ForMap>(&s.node)) walk(*loop);
        }
        for (ast::Expr& e : tree_.program.exprs) {
            if (auto* map = std::get_if<ast::Map>(&e.node)) map->name = renamed(map->name);
        }
        declarations();
    }

  private:
    struct Global {
        std::set<std::string> queries = {};   // the statistics queried
        std::string collector = {};           // the function that collects
        std::optional<ast::Call> drawn = {};  // the histogram that is printed
    };

    // Finds queries, apart from collecting and removing.
    void look(const ast::Block& block) {
        std::set<ast::ExprId> silent;
        const auto quiet = [&](ast::ExprId id) { silent.insert(id); };
        tree_.each_stmt(block, [&](ast::StmtId id) {
            if (const auto* assign = tree_.get<ast::Assign>(id)) quiet(assign->target);
            if (const auto* loop = tree_.get<ast::ForMap>(id)) {
                const auto* map = tree_.get<ast::Map>(loop->map);
                const auto parts = map ? parts_of(map->name) : std::nullopt;
                if (!parts) return;
                look(*loop, *parts);
                quiet(loop->map);
            }
        });
        tree_.each_expr(block, [&](ast::ExprId id) {
            const auto* call = tree_.get<ast::Call>(id);
            if (tree_.call(id, {"delete", "clear", "has_key"})) quiet(call->arguments[0]);
            if (call && call->name == "print") draw(call->arguments[0], silent);
            if (const auto statistic = query_of(id)) {
                if (const auto parts = map_below(call->arguments[0])) {
                    globals_[parts->global].queries.insert(*statistic);
                    quiet(tree_.bare(call->arguments[0]));
                }
            }
            if (const auto found = divided(id)) {
                globals_[map_below(found->second)->global].queries.insert(found->first);
                tree_.each_expr(id, quiet);
            }
            const auto* map = tree_.get<ast::Map>(id);
            const auto parts = map ? parts_of(map->name) : std::nullopt;
            if (!parts) return;
            Global& global = globals_[parts->global];
            if (!silent.contains(id)) global.queries.insert(parts->statistic);
        });
    }

    // sum_of(...) queries "sum".
    std::optional<std::string> query_of(ast::ExprId id) const {
        const auto* call = tree_.get<ast::Call>(id);
        if (!call || !call->name.ends_with("_of") || call->arguments.size() != 1) return {};
        return call->name.substr(0, call->name.size() - std::string_view("_of").size());
    }

    // A loop queries what it sorts by and, for samples, the uses of its pair's value.
    void look(const ast::ForMap& loop, const Parts& parts) {
        std::set<std::string>& queries = globals_[parts.global].queries;
        using By = ast::MapOrder::By;
        const bool by_statistic = loop.order && loop.order->by != By::key && loop.order->by != By::value;
        if (by_statistic) queries.insert(std::string(ast::spelling(loop.order->by)));
        if (loop.order && loop.order->by == By::value) queries.insert(parts.statistic);
        if (parts.statistic != sampled) return;
        std::set<ast::ExprId> known;
        tree_.each_expr(loop.body, [&](ast::ExprId id) {
            const auto statistic = query_of(id);
            if (statistic && is_value(tree_.get<ast::Call>(id)->arguments[0], loop)) {
                queries.insert(*statistic);
                known.insert(tree_.bare(tree_.get<ast::Call>(id)->arguments[0]));
                values_.emplace_back(id, parts.global);
            }
            if (is_value(id, loop) && !known.contains(id)) queries.insert(parts.statistic);
        });
    }
    bool is_value(ast::ExprId id, const ast::ForMap& loop) const {
        const auto* member = tree_.get<ast::Member>(tree_.bare(id));
        return member && tree_.is<ast::Local>(member->base, loop.name) && member->field == "1";
    }

    // print(hist_log(@x.samples)): if x has no other query, it is collected as that histogram. One of several in a map
    // cannot be printed alone.
    void draw(ast::ExprId printed, std::set<ast::ExprId>& silent) {
        const auto* call = tree_.call(printed, {"hist_log", "hist_linear"});
        const auto parts = call ? map_below(call->arguments[0]) : std::nullopt;
        const bool is_whole_map = parts && !tree_.get<ast::Map>(tree_.bare(call->arguments[0]))->has_key;
        if (!is_whole_map || parts->statistic != sampled) return;
        Global& global = globals_[parts->global];
        const auto same_bounds = [&](const ast::Call& other) {
            bool same = other.name == call->name && other.arguments.size() == call->arguments.size();
            for (size_t i = 1; same && i < call->arguments.size(); i++)
                same = tree_.same(other.arguments[i], call->arguments[i]);
            return same;
        };
        if (!global.drawn) global.drawn = *call;
        if (same_bounds(*global.drawn)) silent.insert(call->arguments[0]);
    }

    void choose(const std::string& name, Global& g) const {
        if (only_written_.contains(name)) {
            g.collector = "dist";
            return;
        }
        const auto only = [&](std::initializer_list<std::string_view> some) {
            return std::ranges::all_of(g.queries,
                                       [&](const std::string& a) { return std::ranges::find(some, a) != some.end(); });
        };
        if (g.drawn && !g.queries.empty()) {
            g.collector = "samples";
        } else if (g.queries.empty()) {
            g.collector = !g.drawn ? "count" : g.drawn->name == "hist_log" ? "hist" : "lhist";
        } else if (g.queries.size() == 1 && only({"count", "sum", "min", "max", "avg"})) {
            g.collector = *g.queries.begin();
        } else {
            g.collector = only({"count", "sum", "avg"}) ? "stats" : "samples";
        }
    }

    static bool is_whole(const Global& g) {
        return g.collector == "stats" || g.collector == "samples" || g.collector == "dist";
    }

    // { let value; @x.count = count(); @x.sum = sum(value); ... } becomes one assignment, or two.
    void collecting(std::vector<ast::StmtId>& statements) {
        std::vector<ast::StmtId> out;
        for (ast::StmtId id : statements) {
            const std::optional<ast::BlockValue> all = value_of(id);
            const auto parts = all ? global_of(*all) : std::nullopt;
            if (parts)
                collect(id, *all, *parts, out);
            else
                out.push_back(id);
        }
        statements = out;
    }

    std::optional<ast::BlockValue> value_of(ast::StmtId id) const {
        const auto* evaluate = tree_.get<ast::Evaluate>(id);
        const auto* value = evaluate ? tree_.get<ast::BlockValue>(evaluate->value) : nullptr;
        return value && !value->value ? std::optional(*value) : std::nullopt;
    }

    std::optional<std::string> global_of(const ast::BlockValue& all) const {
        std::optional<std::string> out;
        for (ast::StmtId id : all.block.statements) {
            if (tree_.get<ast::Let>(id)) continue;
            const auto* map = tree_.target<ast::Map>(id);
            const auto parts = map ? parts_of(map->name) : std::nullopt;
            if (!parts) return {};
            out = parts->global;
        }
        return out;
    }

    void collect(ast::StmtId at, const ast::BlockValue& all, const std::string& name, std::vector<ast::StmtId>& out) {
        std::optional<ast::ExprId> value;
        std::optional<ast::Assign> first;
        for (ast::StmtId id : all.block.statements) {
            if (const auto* let = tree_.get<ast::Let>(id)) value = let->value;
            const auto* assign = tree_.get<ast::Assign>(id);
            if (assign == nullptr) continue;
            first = *assign;
            const auto* call = tree_.get<ast::Call>(assign->value);
            if (!value && call && !call->arguments.empty()) value = call->arguments[0];
        }
        const Global& global = globals_[name];
        if (!first) return;
        std::vector<ast::ExprId> given;
        if (value && global.collector != "count") given.push_back(tree_.copy(*value));
        for (size_t i = 1; global.collector == "lhist" && i < global.drawn->arguments.size(); i++)
            given.push_back(tree_.copy(global.drawn->arguments[i]));
        const ast::ExprId call = tree_.like(first->value, ast::Call{global.collector, {}, given});
        auto map = *tree_.get<ast::Map>(first->target);
        map.name = name;
        out.push_back(tree_.like(at, ast::Assign{tree_.like(first->target, map), std::nullopt, call}));
        if (value && given.empty() && !tree_.is_pure(*value)) out.push_back(uncollected(at, *value));
    }

    // A value that is only counted may still do something.
    ast::StmtId uncollected(ast::StmtId at, ast::ExprId value) {
        const ast::ExprId copy = tree_.copy(tree_.bare(value));
        const auto* step = tree_.get<ast::Step>(copy);
        if (step == nullptr) return tree_.like(at, ast::Evaluate{copy, tree_.get<ast::Call>(copy) == nullptr});
        const ast::Step change = *step;
        return tree_.like(at, ast::Assign{change.target, change.op, tree_.like(copy, ast::Integer{1})});
    }

    // ---- queries

    std::optional<Parts> map_below(ast::ExprId id) const {
        const auto* map = tree_.get<ast::Map>(tree_.bare(id));
        return map ? parts_of(map->name) : std::nullopt;
    }

    void ask(ast::ExprId id, ast::ExprId map, const std::string& statistic) {
        tree_.put(id, ast::Call{statistic + "_of", {}, {tree_.bare(map)}});
    }

    // The statistic that a division computes, and its map.
    std::optional<std::pair<std::string, ast::ExprId>> divided(ast::ExprId id) const {
        const auto* n = tree_.get<ast::Binary>(id);
        if (!n || n->op != ast::BinaryOp::divide) return {};
        const auto sum = map_below(n->left), count = map_below(n->right);
        if (sum && count && sum->statistic == "sum" && count->statistic == "count") return {{"avg", n->left}};
        return {};
    }

    // print(hist_log(@x)) is print(@x) if x is a histogram.
    void histogram(ast::ExprId id) {
        const auto* call = tree_.call(id, {"hist_log", "hist_linear"});
        const auto parts = call ? map_below(call->arguments[0]) : std::nullopt;
        if (!parts) return;
        const std::string& collector = globals_[parts->global].collector;
        if (collector == "hist" || collector == "lhist") tree_.become(id, tree_.bare(call->arguments[0]));
    }

    void average(ast::ExprId id) {
        if (const auto found = divided(id)) ask(id, found->second, found->first);
    }

    void replace_query(ast::ExprId id) {
        const auto statistic = query_of(id);
        if (const auto parts = statistic ? map_below(tree_.get<ast::Call>(id)->arguments[0]) : std::nullopt)
            return plain_number(id, *statistic, globals_[parts->global].collector);
        const auto* cast = tree_.get<ast::Cast>(id);
        const auto parts = cast && tree_.get<ast::Map>(tree_.bare(id)) ? map_below(id) : std::nullopt;
        if (!parts) return;
        if (is_whole(globals_[parts->global])) ask(id, cast->value, parts->statistic);
    }

    // sum_of(@x) is @x if x is a sum; an average needs its function.
    void plain_number(ast::ExprId id, const std::string& statistic, const std::string& collector) {
        if (statistic != collector || statistic == "avg") return;
        tree_.become(id, tree_.bare(tree_.get<ast::Call>(id)->arguments[0]));
    }

    void walk(ast::ForMap& loop) const {
        const auto parts = map_below(loop.map);
        if (!parts || !loop.order || loop.order->by == ast::MapOrder::By::key) return;
        const auto found = globals_.find(parts->global);
        if (found == globals_.end()) return;
        if (!is_whole(found->second)) {
            loop.order->by = ast::MapOrder::By::value;
        } else if (const auto by = ast::order_named(parts->statistic);
                   by && loop.order->by == ast::MapOrder::By::value) {
            loop.order->by = *by;
        }
    }

    std::string renamed(const std::string& map) const {
        const auto parts = parts_of(map);
        if (!parts) return map;
        return globals_.contains(parts->global) ? parts->global : map;
    }

    void declarations() {
        std::set<std::string> done;
        for (ast::Item& item : tree_.program.items) {
            if (auto* m = std::get_if<ast::MapDeclaration>(&item.node)) m->name = renamed(m->name);
        }
        std::erase_if(tree_.program.items, [&](const ast::Item& item) {
            const auto* m = std::get_if<ast::MapDeclaration>(&item.node);
            return m && !done.insert(m->name).second;
        });
    }

    Tree& tree_;
    const std::set<std::string>& only_written_;
    mutable std::map<std::string, Global> globals_;
    std::vector<std::pair<ast::ExprId, std::string>> values_ = {};  // queries of a pair's value, and the global
};

}  // namespace

void join_statistics(Tree& tree, const std::set<std::string>& only_written) { Statistics(tree, only_written).run(); }

}  // namespace lt::port
