#include "systemtap/names/globals.h"
#include "systemtap/names/statistics.h"

#include <set>

namespace lt::stp {
namespace {

class GlobalReader {
  public:
    GlobalReader(const ast::Program& program, Globals& globals) : program_(program), globals_(globals) {}

    void run() {
        for (const ast::Expr& e : program_.exprs) {
            if (const auto* map = std::get_if<ast::Map>(&e.node))
                with(map->name, [](GlobalUse& u) { u.is_array = true; });
            if (const auto* step = std::get_if<ast::Step>(&e.node)) written(step->target);
            if (const auto* call = std::get_if<ast::Call>(&e.node)) called(*call);
        }
        for (const ast::Stmt& s : program_.stmts) {
            if (const auto* assign = std::get_if<ast::Assign>(&s.node)) written(assign->target);
            if (const auto* loop = std::get_if<ast::ForMap>(&s.node)) {
                if (const auto* name = program_.get<ast::Name>(loop->map))
                    with(name->name, [](GlobalUse& u) { u.is_array = u.is_read = true; });
                if (loop->order) sorted(*loop);
            }
        }
    }

  private:
    template <class Work>
    void with(const std::string& name, const Work& work) {
        const auto found = globals_.find(name);
        if (found != globals_.end()) work(found->second);
    }
    void written(ast::ExprId id) {
        if (const auto* name = program_.get<ast::Name>(id)) with(name->name, [](GlobalUse& u) { u.is_written = true; });
        if (const auto* map = program_.get<ast::Map>(id)) with(map->name, [](GlobalUse& u) { u.is_written = true; });
    }
    void called(const ast::Call& call) {
        if (call.name == delete_call || call.name == collect_call) written(call.arguments[0]);
        const std::string name = call.arguments.empty() ? "" : named(call.arguments[0]);
        if (call.name == collect_call) {
            with(name, [](GlobalUse& u) {
                u.collects = true;
                want(u, *find_statistic("count"));
            });
        } else if (call.name.starts_with("@")) {
            const Statistic* queried = find_statistic(std::string_view(call.name).substr(1));
            if (queried != nullptr) with(name, [&](GlobalUse& u) { want(u, *queried); });
        }
    }
    void sorted(const ast::ForMap& loop) {
        using By = ast::MapOrder::By;
        if (loop.order->by == By::key || loop.order->by == By::value) return;
        with(named(loop.map), [&](GlobalUse& u) { want(u, *find_statistic(spelling(loop.order->by)), true); });
    }
    std::string named(ast::ExprId id) const {
        if (const auto* name = program_.get<ast::Name>(id)) return name->name;
        const auto* map = program_.get<ast::Map>(id);
        return map ? map->name : "";
    }

    const ast::Program& program_;
    Globals& globals_;
};

}  // namespace

void keep_apart(ast::Program& program, Tree& tree, const Source& source) {
    std::set<std::string> taken;
    for (const Global& g : tree.globals) {
        if (source.is_library(g.span.begin)) continue;
        taken.insert(g.name);
    }
    if (taken.empty()) return;
    const auto rename = [&](std::string& name) {
        while (taken.contains(name)) name += "_here";
    };
    for (Function& f : tree.functions) {
        if (f.embedded || !source.is_library(f.span.begin)) continue;
        for (Function::Parameter& p : f.parameters) rename(p.name);
        ast::each_expr_in(program, f.body, [&](ast::ExprId id) {
            auto* named = std::get_if<ast::Name>(&program.exprs[static_cast<size_t>(id)].node);
            if (named != nullptr) rename(named->name);
        });
    }
}

void find_uses(const ast::Program& program, Globals& globals) { GlobalReader(program, globals).run(); }

}  // namespace lt::stp
