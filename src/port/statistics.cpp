// `x <<< value` has become a map for each statistic that is asked of x. In .lt one map collects, and is asked.
#include <algorithm>
#include <array>
#include <map>

#include "steps.h"

namespace lt::port {
namespace {

constexpr std::array<std::string_view, 3> histograms{"hist_log", "hist_linear", "hist"};

bool is_histogram(std::string_view statistic) {
    return std::find(histograms.begin(), histograms.end(), statistic) != histograms.end();
}

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

class Statistics {
  public:
    Statistics(Tree& tree, const std::set<std::string>& only_written) : tree_(tree), only_written_(only_written) {}

    void run() {
        for (const ast::Item& item : tree_.program.items) {
            if (const ast::Block* b = Tree::body(item)) look(*b);
        }
        for (auto& [name, global] : globals_) choose(name, global);
        for (ast::Item& item : tree_.program.items) {
            if (ast::Block* b = Tree::body(item))
                tree_.change_blocks(*b, [&](auto& statements) { collecting(statements); });
        }
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) average(static_cast<ast::ExprId>(i));
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) asked(static_cast<ast::ExprId>(i));
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
        std::set<std::string> asked = {};  // of what it collects
        bool walked = false;
        std::string collector = {};  // the function that collects; empty: only the histogram is wanted
        bool has_histogram = false;
    };

    // What is asked, apart from what collects and what removes.
    void look(const ast::Block& block) {
        std::set<ast::ExprId> silent;
        const auto quiet = [&](ast::ExprId id) { silent.insert(id); };
        tree_.each_stmt(block, [&](ast::StmtId id) {
            if (const auto* assign = tree_.get<ast::Assign>(id)) quiet(assign->target);
            if (const auto* loop = tree_.get<ast::ForMap>(id)) {
                const auto* map = tree_.get<ast::Map>(loop->map);
                const auto parts = map ? parts_of(map->name) : std::nullopt;
                if (!parts) return;
                globals_[parts->global].walked = true;
                if (loop->order && loop->order->by == ast::MapOrder::By::value)
                    globals_[parts->global].asked.insert(parts->statistic);
                quiet(loop->map);
            }
        });
        tree_.each_expr(block, [&](ast::ExprId id) {
            const auto* call = tree_.get<ast::Call>(id);
            const bool removes = call && (call->name == "delete" || call->name == "clear" || call->name == "has_key");
            if (removes) quiet(call->arguments[0]);
            if (const auto found = divided(id)) {
                globals_[map_below(found->second)->global].asked.insert(found->first);
                tree_.each_expr(id, quiet);
            }
            const auto* map = tree_.get<ast::Map>(id);
            const auto parts = map ? parts_of(map->name) : std::nullopt;
            if (!parts) return;
            Global& global = globals_[parts->global];
            if (is_histogram(parts->statistic)) global.has_histogram = true;
            if (!silent.contains(id) && !is_histogram(parts->statistic)) global.asked.insert(parts->statistic);
        });
    }

    void choose(const std::string& name, Global& g) const {
        if (only_written_.contains(name)) {
            g.collector = "dist";
            return;
        }
        const auto only = [&](std::initializer_list<std::string_view> some) {
            return std::all_of(g.asked.begin(), g.asked.end(), [&](const std::string& a) {
                return std::find(some.begin(), some.end(), a) != some.end();
            });
        };
        if (g.asked.empty()) {
            g.collector = g.has_histogram && !g.walked ? "" : "count";
        } else if (g.asked.size() == 1 && only({"count", "sum", "min", "max", "avg"})) {
            g.collector = *g.asked.begin();
        } else {
            g.collector = only({"count", "sum", "avg"}) ? "stats" : "samples";
        }
    }

    static bool is_whole(const Global& g) {
        return g.collector == "stats" || g.collector == "samples" || g.collector == "dist";
    }

    // { let value; @x.count = count(); @x.sum = sum(value); ... } is one assignment, or two.
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
            const auto* assign = tree_.get<ast::Assign>(id);
            const auto* map = assign ? tree_.get<ast::Map>(assign->target) : nullptr;
            const auto parts = map ? parts_of(map->name) : std::nullopt;
            if (!parts) return {};
            out = parts->global;
        }
        return out;
    }

    void collect(ast::StmtId at, const ast::BlockValue& all, const std::string& name, std::vector<ast::StmtId>& out) {
        std::optional<ast::ExprId> value;
        std::optional<ast::Assign> histogram, first;
        for (ast::StmtId id : all.block.statements) {
            if (const auto* let = tree_.get<ast::Let>(id)) value = let->value;
            const auto* assign = tree_.get<ast::Assign>(id);
            if (assign == nullptr) continue;
            const auto parts = parts_of(tree_.get<ast::Map>(assign->target)->name);
            if (is_histogram(parts->statistic)) histogram = *assign;
            if (!is_histogram(parts->statistic)) first = *assign;
            const auto* call = tree_.get<ast::Call>(assign->value);
            if (!value && call && !call->arguments.empty() && parts->statistic != "squares") value = call->arguments[0];
        }
        const Global& global = globals_[name];
        if (first && !global.collector.empty()) {
            std::vector<ast::ExprId> given;
            if (value && global.collector != "count") given.push_back(tree_.copy(*value));
            const ast::ExprId call = tree_.like(first->value, ast::Call{global.collector, {}, given});
            auto map = *tree_.get<ast::Map>(first->target);
            map.name = name;
            out.push_back(tree_.like(at, ast::Assign{tree_.like(first->target, map), std::nullopt, call}));
        }
        if (!histogram) return;
        auto call = *tree_.get<ast::Call>(histogram->value);
        if (value) call.arguments[0] = tree_.copy(*value);
        out.push_back(tree_.like(at, ast::Assign{histogram->target, {}, tree_.like(histogram->value, call)}));
    }

    // ---- what is asked of it

    std::optional<Parts> map_below(ast::ExprId id) const {
        const auto* map = tree_.get<ast::Map>(tree_.bare(id));
        return map ? parts_of(map->name) : std::nullopt;
    }

    void ask(ast::ExprId id, ast::ExprId map, const std::string& statistic) {
        tree_.put(id, ast::Call{statistic + "_of", {}, {tree_.bare(map)}});
    }

    // What a division stands for: the statistic, and its map.
    std::optional<std::pair<std::string, ast::ExprId>> divided(ast::ExprId id) const {
        const auto* n = tree_.get<ast::Binary>(id);
        if (!n || n->op != ast::BinaryOp::divide) return {};
        const auto sum = map_below(n->left), count = map_below(n->right);
        if (sum && count && sum->statistic == "sum" && count->statistic == "count") return {{"avg", n->left}};
        const auto* above = tree_.get<ast::Binary>(n->left);
        const auto squares = above ? map_below(above->left) : std::nullopt;
        if (squares && squares->statistic == "squares") return {{"variance", above->left}};
        return {};
    }

    void average(ast::ExprId id) {
        if (const auto found = divided(id)) ask(id, found->second, found->first);
    }

    void asked(ast::ExprId id) {
        const auto* cast = tree_.get<ast::Cast>(id);
        const auto parts = cast && tree_.get<ast::Map>(tree_.bare(id)) ? map_below(id) : std::nullopt;
        if (!parts || is_histogram(parts->statistic)) return;
        if (is_whole(globals_[parts->global])) ask(id, cast->value, parts->statistic);
    }

    void walk(ast::ForMap& loop) const {
        const auto parts = map_below(loop.map);
        if (!parts || !loop.order || loop.order->by != ast::MapOrder::By::value) return;
        const auto found = globals_.find(parts->global);
        if (found == globals_.end() || !is_whole(found->second)) return;
        if (const auto by = ast::order_named(parts->statistic)) loop.order->by = *by;
    }

    std::string renamed(const std::string& map) const {
        const auto parts = parts_of(map);
        if (!parts) return map;
        const auto found = globals_.find(parts->global);
        if (found == globals_.end()) return map;
        const bool apart = is_histogram(parts->statistic) && !found->second.collector.empty();
        return apart ? parts->global + "_hist" : parts->global;
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
};

}  // namespace

void join_statistics(Tree& tree, const std::set<std::string>& only_written) { Statistics(tree, only_written).run(); }

}  // namespace lt::port
