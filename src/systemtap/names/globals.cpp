#include "systemtap/names/globals.h"
#include "systemtap/names/printing.h"
#include "systemtap/names/statistics.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lt::stp {
namespace {

class GlobalReader {
  public:
    GlobalReader(const ast::Program& program, Globals& globals) : program_(program), globals_(globals) {}

    void run() {
        for (const ast::Expr& e : program_.exprs) {
            if (const auto* map = std::get_if<ast::Map>(&e.node))
                with(map->name, [](GlobalUse& u) { u.is_array = true; });
            if (const auto* step = std::get_if<ast::Step>(&e.node)) assigned(step->target);
            if (const auto* call = std::get_if<ast::Call>(&e.node)) called(*call);
        }
        for (const ast::Stmt& s : program_.stmts) {
            if (const auto* assign = std::get_if<ast::Assign>(&s.node)) assigned(assign->target);
            if (const auto* loop = std::get_if<ast::ForMap>(&s.node)) {
                if (const auto* name = program_.get<ast::Name>(loop->map))
                    with(name->name, [](GlobalUse& u) { u.is_array = u.is_read = true; });
                if (loop->order) sorted(*loop);
            }
        }
        for (const std::string& name : queried_)
            if (!assigned_.contains(name)) with(name, only_queried);
    }

  private:
    template <class Work>
    void with(const std::string& name, const Work& work) {
        const auto found = globals_.find(name);
        if (found != globals_.end()) work(found->second);
    }
    // A statistic, though nothing may collect in it.
    static void only_queried(GlobalUse& u) {
        if (u.global->value) return;
        u.collects = true;
        want(u, *find_statistic("count"));
    }
    void assigned(ast::ExprId id) {
        assigned_.insert(named(id));
        written(id);
    }
    void written(ast::ExprId id) {
        with(named(id), [](GlobalUse& u) { u.is_written = true; });
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
            if (queried == nullptr) return;
            queried_.insert(name);
            with(name, [&](GlobalUse& u) { want(u, *queried); });
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
    std::set<std::string> assigned_ = {};
    std::set<std::string> queried_ = {};  // by @count and the like
};

class TextReader {
  public:
    TextReader(const ast::Program& program, const FunctionTable& functions)
        : program_(program), functions_(functions) {}

    std::set<std::string> names;

    void read(const ast::Expr& e) {
        if (const auto* both = std::get_if<ast::Binary>(&e.node)) {
            if (both->op == ast::BinaryOp::logical_and || both->op == ast::BinaryOp::logical_or) return;
            if (is_text(both->left)) note(both->right);
            if (is_text(both->right)) note(both->left);
        }
        const auto* call = std::get_if<ast::Call>(&e.node);
        const StpFunction* row = call && !functions_.has(call->name) ? find_stp_function(call->name) : nullptr;
        if (row && (row->form == StpForm::printf || row->form == StpForm::sprintf)) printed(call->arguments);
    }

  private:
    void note(ast::ExprId id) {
        if (const auto* name = program_.get<ast::Name>(id)) names.insert(name->name);
    }

    bool is_text(ast::ExprId id) const {
        if (program_.get<ast::String>(id)) return true;
        if (const auto* joined = program_.get<ast::Binary>(id))
            return joined->op == ast::BinaryOp::add && (is_text(joined->left) || is_text(joined->right));
        const auto* call = program_.get<ast::Call>(id);
        if (call == nullptr) return false;
        if (const Function* f = functions_.find(call->name, call->arguments.size())) return f->type == "string";
        const StpFunction* row = find_stp_function(call->name);
        return row && gives_text(row->form);
    }

    // %s
    void printed(const std::vector<ast::ExprId>& arguments) {
        const auto* text = arguments.empty() ? nullptr : program_.get<ast::String>(arguments[0]);
        if (text == nullptr) return;
        const std::string& format = text->value;
        size_t next = 1;
        for (size_t at = format.find('%'); at < format.size(); at = format.find('%', at)) {
            const size_t letter = std::min(format.find_first_not_of(before_letter, at + 1), format.size());
            const std::string_view flags = std::string_view(format).substr(at, letter - at);
            next += static_cast<size_t>(std::ranges::count(flags, '*'));
            at = letter + 1;
            if (letter == format.size() || format[letter] == '%') continue;
            if (format[letter] == 's' && next < arguments.size()) note(arguments[next]);
            next++;
        }
    }

    const ast::Program& program_;
    const FunctionTable& functions_;
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

std::set<std::string> text_names(const ast::Program& program, const FunctionTable& functions, const Source& source) {
    TextReader reader(program, functions);
    for (const ast::Expr& e : program.exprs) {
        if (!source.is_library(e.span.begin)) reader.read(e);
    }
    return std::move(reader.names);
}

}  // namespace lt::stp
