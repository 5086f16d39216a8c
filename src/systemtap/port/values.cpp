// Values that need no name or check: locals assigned by a library alias, arguments that are named once, features that
// this machine certainly has, maps that nothing writes to.
#include <algorithm>

#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

// ---- locals of aliases

class Aliases {
  public:
    Aliases(Tree& tree, const Source& source) : tree_(tree), source_(source) {}

    void item(ast::Block& body) {
        for (bool more = true; more;) {
            more = false;
            for (size_t i = 0; i < body.statements.size(); i++) {
                if (!replace(body, i)) continue;
                more = true;
                break;
            }
        }
    }

  private:
    // Does the assignment come from an alias, so that there is none at its place in the text?
    bool is_given(ast::StmtId id) const {
        const Span where = tree_.program[id].span;
        const bool own = source_.parts.empty() || where.begin < source_.parts.front().begin;
        return !own || source_.at(where).find('=') == std::string_view::npos;
    }

    // Is it an argument, or little more?
    bool is_plain_argument(ast::ExprId id) const {
        size_t parts = 0;
        bool fits = false, other = false;
        tree_.each_expr(id, [&](ast::ExprId e) {
            const bool is_cast = tree_.get<ast::Cast>(e) || tree_.call(e, {"bswap", "entry"});
            const bool is_part = tree_.get<ast::Member>(e) || is_cast;
            parts += !tree_.get<ast::Cast>(e);
            fits = fits || tree_.is_name(e, "args");
            other = other || (!is_part && !tree_.is_name(e, "args"));
        });
        constexpr size_t short_enough = 6;  // bswap(((struct tcphdr *)args.skb->data)->seq)
        return fits && !other && parts <= short_enough;
    }

    bool replace(ast::Block& body, size_t i) {
        const ast::StmtId at = body.statements[i];
        const auto* assign = tree_.get<ast::Assign>(at);
        const auto* local = assign && !assign->op ? tree_.get<ast::Local>(assign->target) : nullptr;
        if (!local || !tree_.is_pure(assign->value) || names_local(assign->value)) return false;
        const bool given = is_given(at);
        if (!given && !is_plain_argument(assign->value)) return false;
        const std::string name = local->name;
        const ast::ExprId value = assign->value;
        const std::vector<ast::ExprId> uses = tree_.uses(body, name);
        if (!fits(body, name, value, uses.size() - 1) || (!given && uses.size() != 2)) return false;
        const ast::ExprId target = assign->target;
        for (ast::ExprId id : uses) {
            if (id != target) tree_.put_copy(id, value);
        }
        body.statements.erase(body.statements.begin() + static_cast<ptrdiff_t>(i));
        std::erase_if(body.statements, [&](ast::StmtId id) { return tree_.declares(id, name); });
        return true;
    }

    bool names_local(ast::ExprId id) const {
        return tree_.any_expr(id, [&](ast::ExprId e) { return tree_.get<ast::Local>(e) || tree_.get<ast::Map>(e); });
    }

    bool fits(const ast::Block& body, const std::string& name, ast::ExprId value, size_t reads) const {
        constexpr size_t short_enough = 5;  // (int64)args.x->y
        return tree_.writes(body, name) == 1 && (reads <= 1 || tree_.size(value) <= short_enough);
    }

    Tree& tree_;
    const Source& source_;
};

// ---- what nothing writes to

class Unwritten {
  public:
    Unwritten(Tree& tree, const Source& source) : tree_(tree), source_(source) {}

    void run() {
        std::set<std::string> written;
        for (const ast::Item& item : tree_.program.items) {
            const ast::Block* body = Tree::body(item);
            if (body == nullptr) continue;
            tree_.each_stmt(*body, [&](ast::StmtId id) {
                if (const auto* map = tree_.target<ast::Map>(id)) written.insert(map->name);
            });
            tree_.each_expr(item, [&](ast::ExprId id) {
                const auto* step = tree_.get<ast::Step>(id);
                if (const auto* map = step ? tree_.get<ast::Map>(step->target) : nullptr) written.insert(map->name);
            });
        }
        for (const std::string& name : tree_.maps()) {
            if (!written.contains(name)) empty_.insert(name);
        }
        for (ast::Item& item : tree_.program.items) {
            if (ast::Block* body = Tree::body(item)) tree_.change_blocks(*body, [&](auto& s) { drop(s); });
            tree_.each_expr(item, [&](ast::ExprId id) { zero(id); });
        }
        drop_zeros();
        const std::set<std::string> left = tree_.maps();
        std::erase_if(tree_.program.items, [&](const ast::Item& item) {
            const auto* declared = std::get_if<ast::MapDeclaration>(&item.node);
            return declared && !left.contains(declared->name);
        });
    }

  private:
    bool is_empty(ast::ExprId id) const {
        const auto* map = tree_.get<ast::Map>(id);
        return map && empty_.contains(map->name);
    }

    void drop(std::vector<ast::StmtId>& statements) const {
        std::erase_if(statements, [&](ast::StmtId id) {
            const auto* loop = tree_.get<ast::ForMap>(id);
            const auto* call = tree_.call(id, {"delete", "clear", "print"});
            return (loop && is_empty(loop->map)) || (call && is_empty(call->arguments[0]));
        });
    }

    // Removes initial values of 0 or "", which globals have anyway.
    void drop_zeros() {
        auto& items = tree_.program.items;
        for (ast::Item& item : items) {
            auto* action = std::get_if<ast::Action>(&item.node);
            if (!action || action->probes.front().parts.front().text != "BEGIN" || is_written(item)) continue;
            std::erase_if(action->body.statements, [&](ast::StmtId id) {
                const auto* assign = tree_.get<ast::Assign>(id);
                const auto* number = assign ? tree_.get<ast::Integer>(assign->value) : nullptr;
                const auto* text = assign ? tree_.get<ast::String>(assign->value) : nullptr;
                return (number && number->value == 0) || (text && text->value.empty());
            });
            if (action->body.statements.empty()) action->probes.clear();
        }
        std::erase_if(items, [](const ast::Item& item) {
            const auto* action = std::get_if<ast::Action>(&item.node);
            return action && action->probes.empty();
        });
    }
    bool is_written(const ast::Item& item) const { return source_.at(item.span).starts_with("probe"); }

    void zero(ast::ExprId id) {
        const auto* call = tree_.get<ast::Call>(id);
        const bool asks = call && !call->arguments.empty() && is_empty(call->arguments[0]) &&
                          (call->name.ends_with("_of") || call->name == "has_key");
        if (asks || is_empty(id)) tree_.put(id, ast::Integer{0});
    }

    Tree& tree_;
    const Source& source_;
    std::set<std::string> empty_;
};

}  // namespace

void place_aliases(Tree& tree, const Source& source) {
    for (ast::Item& item : tree.program.items) {
        const bool is_function = std::holds_alternative<ast::FunctionItem>(item.node);
        ast::Block* body = is_function ? nullptr : Tree::body(item);
        if (body != nullptr) Aliases(tree, source).item(*body);
    }
}

void settle_questions(Tree& tree, const Machine& machine) {
    for (size_t i = 0; i < tree.program.exprs.size(); i++) {
        const auto id = static_cast<ast::ExprId>(i);
        const auto* choice = tree.get<ast::Conditional>(id);
        const auto* defined = choice ? tree.get<ast::Defined>(choice->condition) : nullptr;
        if (defined && machine.type(tree.origin(defined->value)) != Known::nothing) tree.put_copy(id, choice->yes);
    }
}

void drop_unwritten(Tree& tree, const Source& source) { Unwritten(tree, source).run(); }

}  // namespace lt::port
