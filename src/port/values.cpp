// Values that need no name or no question: what an alias of the library gave to a local, an argument that is named
// once, what this machine has for sure, maps that nothing writes to.
#include <algorithm>
#include <array>
#include <map>

#include "steps.h"

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
    // Was it put in by an alias, so that no assignment stands at its place?
    bool is_given(ast::StmtId id) const {
        const Span where = tree_.program[id].span;
        const bool own = source_.parts.empty() || where.begin < source_.parts.front().begin;
        return !own || source_.at(where).find('=') == std::string_view::npos;
    }

    // Is it an argument, or little more than one?
    bool is_plain_argument(ast::ExprId id) const {
        size_t parts = 0;
        bool fits = false, other = false;
        tree_.each_expr(id, [&](ast::ExprId e) {
            const auto* call = tree_.get<ast::Call>(e);
            const bool is_kept = call && (call->name == "bswap" || call->name == "entry");
            const bool is_cast = tree_.get<ast::Cast>(e) || is_kept;
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
        std::vector<ast::ExprId> uses;
        tree_.each_expr(body, [&](ast::ExprId id) {
            const auto* other = tree_.get<ast::Local>(id);
            if (other && other->name == name) uses.push_back(id);
        });
        if (!fits(body, name, value, uses.size() - 1) || (!given && uses.size() != 2)) return false;
        const ast::ExprId target = assign->target;
        for (ast::ExprId id : uses) {
            if (id != target) tree_.put_copy(id, value);
        }
        body.statements.erase(body.statements.begin() + static_cast<ptrdiff_t>(i));
        std::erase_if(body.statements, [&](ast::StmtId id) {
            const auto* let = tree_.get<ast::Let>(id);
            return let && let->name == name;
        });
        return true;
    }

    bool names_local(ast::ExprId id) const {
        return tree_.any_expr(id, [&](ast::ExprId e) { return tree_.get<ast::Local>(e) || tree_.get<ast::Map>(e); });
    }

    bool fits(const ast::Block& body, const std::string& name, ast::ExprId value, size_t reads) const {
        size_t size = 0;
        tree_.each_expr(value, [&](ast::ExprId) { size++; });
        constexpr size_t short_enough = 5;  // (int64)args.x->y
        return tree_.writes(body, name) == 1 && (reads <= 1 || size <= short_enough);
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
                const auto* assign = tree_.get<ast::Assign>(id);
                if (assign) note(assign->target, written);
            });
            tree_.each_expr(item, [&](ast::ExprId id) {
                if (const auto* step = tree_.get<ast::Step>(id)) note(step->target, written);
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
    void note(ast::ExprId target, std::set<std::string>& written) const {
        if (const auto* map = tree_.get<ast::Map>(target)) written.insert(map->name);
    }
    bool is_empty(ast::ExprId id) const {
        const auto* map = tree_.get<ast::Map>(id);
        return map && empty_.contains(map->name);
    }

    void drop(std::vector<ast::StmtId>& statements) const {
        std::erase_if(statements, [&](ast::StmtId id) {
            const auto* loop = tree_.get<ast::ForMap>(id);
            const auto* evaluate = tree_.get<ast::Evaluate>(id);
            const auto* call = evaluate ? tree_.get<ast::Call>(evaluate->value) : nullptr;
            const bool acts = call && (call->name == "delete" || call->name == "clear" || call->name == "print");
            return (loop && is_empty(loop->map)) || (acts && is_empty(call->arguments[0]));
        });
    }

    // What the front end gives globals at first is there without it where it is 0 or an empty string.
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
        const auto* asked = choice ? tree.get<ast::Defined>(choice->condition) : nullptr;
        if (asked && machine.type(tree.origin(asked->value)) != Known::nothing) tree.put_copy(id, choice->yes);
    }
}

void drop_unwritten(Tree& tree, const Source& source) { Unwritten(tree, source).run(); }

}  // namespace lt::port
