#include "systemtap/link/display.h"
#include "systemtap/names/printing.h"

#include <fmt/format.h>

#include <algorithm>

namespace lt::stp {
namespace {

// How a global is used.
struct Seen {
    bool written = false;
    bool read = false;
    bool collects = false;
    bool text = false;            // is a string assigned to it, as far as visible?
    std::vector<bool> text_keys;  // by part of its key
};

class Watcher {
  public:
    Watcher(const ast::Program& program, const Tree& tree, const Globals& globals)
        : program_(program), tree_(tree), globals_(globals) {}

    std::map<std::string, Seen> seen;

    void block(const ast::Block& b) {
        for (ast::StmtId id : b.statements) statement(id);
    }

  private:
    Seen* global(ast::ExprId id) {
        const auto* name = program_.get<ast::Name>(id);
        const auto* map = program_.get<ast::Map>(id);
        const std::string& named = name ? name->name : map ? map->name : std::string();
        return globals_.contains(named) ? &seen[named] : nullptr;
    }

    // A target: it is written, and only its key is read.
    void target(ast::ExprId id, bool text, bool collects = false) {
        Seen* s = global(id);
        if (s == nullptr) return expr(id);
        s->written = true;
        s->text = s->text || text;
        s->collects = s->collects || collects;
        const auto* map = program_.get<ast::Map>(id);
        if (map == nullptr) return;
        s->text_keys.resize(std::max(s->text_keys.size(), map->key.size()));
        for (size_t i = 0; i < map->key.size(); i++) {
            if (is_text(map->key[i])) s->text_keys[i] = true;
            expr(map->key[i]);
        }
    }

    void statement(ast::StmtId id) {
        if (const auto* assign = program_.get<ast::Assign>(id)) {
            const auto* local = program_.get<ast::Name>(assign->target);
            if (local && is_text(assign->value)) texts_.insert(local->name);
            target(assign->target, is_text(assign->value));
            return expr(assign->value);
        }
        const auto* call = program_.call(id);
        if (call && (call->name == collect_call || call->name == delete_call)) {
            call->name == collect_call ? target(call->arguments[0], false, true) : forgotten(call->arguments[0]);
            for (size_t i = 1; i < call->arguments.size(); i++) expr(call->arguments[i]);
            return;
        }
        ast::each_expr(program_[id], [&](ast::ExprId e) { expr(e); });
        ast::each_block(program_[id], [&](const ast::Block& b) { block(b); });
    }

    void forgotten(ast::ExprId id) {
        const auto* map = program_.get<ast::Map>(id);
        if (map) std::ranges::for_each(map->key, [&](ast::ExprId part) { expr(part); });
    }

    void expr(ast::ExprId id) {
        if (Seen* s = global(id)) s->read = true;
        ast::each_child(program_[id], [&](ast::ExprId child) { expr(child); });
        ast::each_block(program_[id], [&](const ast::Block& b) { block(b); });
    }

    bool is_text(ast::ExprId id) const {
        const ast::ExprNode& node = program_[id].node;
        if (const auto* binary = std::get_if<ast::Binary>(&node))
            return binary->op == ast::BinaryOp::add && (is_text(binary->left) || is_text(binary->right));
        if (const auto* choice = std::get_if<ast::Conditional>(&node))
            return is_text(choice->yes) || is_text(choice->no);
        if (const auto* name = std::get_if<ast::Name>(&node)) return texts_.contains(name->name);
        const auto* call = std::get_if<ast::Call>(&node);
        if (call == nullptr) return std::holds_alternative<ast::String>(node);
        for (const Function& f : tree_.functions) {
            if (f.name == call->name) return f.type == "string";
        }
        const StpFunction* row = find_stp_function(call->name);
        return row != nullptr && gives_text(row->form);
    }

    const ast::Program& program_;
    const Tree& tree_;
    const Globals& globals_;
    std::set<std::string> texts_{"name", "argstr", "retstr"};  // names that get strings; these by aliases
};

class Display {
  public:
    Display(ast::Program& program, Span where) : program_(program), where_(where) {}

    ast::StmtId of(const std::string& name, const Seen& seen) {
        const size_t parts = seen.text_keys.size();
        if (parts == 0) return line(name, seen, expr(ast::Name{name}), {});
        ast::ForMap loop;
        loop.name = "each of " + name;
        loop.name_span = where_;
        loop.map = expr(ast::Name{name});
        loop.order = ast::MapOrder{ast::MapOrder::By::value, std::nullopt, true, where_};
        std::vector<ast::ExprId> key;
        for (size_t i = 0; i < parts; i++) {
            const ast::ExprId whole = expr(ast::Member{expr(ast::Local{loop.name}), "0", where_});
            key.push_back(parts == 1 ? whole : expr(ast::Member{whole, std::to_string(i), where_}));
        }
        std::vector<ast::ExprId> named;
        std::string format = name + "[";
        for (size_t i = 0; i < parts; i++) {
            const std::string local = fmt::format("part {} of {}", i, name);
            loop.body.statements.push_back(stmt(ast::Assign{expr(ast::Name{local}), std::nullopt, key[i]}));
            named.push_back(expr(ast::Name{local}));
            format += (i > 0 ? "," : "") + std::string(seen.text_keys[i] ? "\"%s\"" : "%s");
        }
        std::vector<ast::ExprId> again;
        for (size_t i = 0; i < parts; i++) again.push_back(expr(ast::Name{fmt::format("part {} of {}", i, name)}));
        loop.body.statements.push_back(line(format + "]", seen, expr(ast::Map{name, again, true}), named));
        return stmt(std::move(loop));
    }

  private:
    ast::ExprId expr(ast::ExprNode node) { return program_.add(where_, std::move(node)); }
    ast::StmtId stmt(ast::StmtNode node) { return program_.add(where_, std::move(node)); }

    ast::StmtId line(std::string format, const Seen& seen, ast::ExprId value, std::vector<ast::ExprId> key) {
        std::vector<ast::ExprId> arguments = std::move(key);
        if (seen.collects) {
            for (const char* statistic : {"count", "min", "max", "sum", "avg"}) {
                format += fmt::format(" @{}=%d", statistic);
                arguments.push_back(expr(ast::Call{fmt::format("@{}", statistic), where_, {value}}));
            }
        } else {
            format += seen.text ? "=\"%s\"" : "=%s";
            arguments.push_back(value);
        }
        arguments.insert(arguments.begin(), expr(ast::String{format + "\n"}));
        const ast::StmtId print = stmt(ast::Evaluate{expr(ast::Call{"printf", where_, arguments})});
        if (!seen.collects) return print;
        return stmt(ast::If{expr(ast::Call{"@count", where_, {value}}), {{print}}, {}});
    }

    ast::Program& program_;
    Span where_;
};

}  // namespace

ast::Block display_unread(ast::Program& program, const Tree& tree, const Globals& globals,
                          const std::function<bool(Span)>& is_own) {
    Watcher watcher(program, tree, globals);
    for (const Alias& a : tree.aliases) watcher.block(a.before), watcher.block(a.after);
    for (const Probe& p : tree.probes) {
        watcher.block(p.body);
        for (const Point& point : p.points) {
            if (point.armed) watcher.block({{program.add(p.span, ast::Evaluate{*point.armed, true})}});
        }
    }
    for (const Function& f : tree.functions) watcher.block(f.body);
    ast::Block out;
    for (const Global& g : tree.globals) {
        const Seen& seen = watcher.seen[g.name];
        if (seen.written && !seen.read && is_own(g.span))
            out.statements.push_back(Display(program, g.span).of(g.name, seen));
    }
    return out;
}

}  // namespace lt::stp
