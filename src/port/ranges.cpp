// for (i = a; i < b; i++) has become an assignment and a `while`. Where nothing else changes i or b, and nobody asks
// for i behind the loop, it is a loop over a range. foreach (b in @hist_log(x)) is such a loop from the start, and
// where nobody else uses b, it is the loop's own variable.
#include <algorithm>

#include "steps.h"

namespace lt::port {
namespace {

class Ranges {
  public:
    Ranges(Tree& tree, const ast::Block& body) : tree_(tree), body_(body) {}

    void block(std::vector<ast::StmtId>& statements) {
        for (ast::StmtId id : statements) name_bucket(id);
        for (size_t i = 0; i + 1 < statements.size(); i++) {
            const auto begin = start_of(statements[i]);
            if (!begin) continue;
            const bool marked = is_mark(statements[i + 1]);
            const size_t at = i + 1 + marked;
            const auto* loop = at < statements.size() ? tree_.get<ast::While>(statements[at]) : nullptr;
            if (!loop) continue;
            const auto range = marked ? with_mark(*loop, *begin) : plain(*loop, *begin);
            if (!range || !is_own(*range, statements[i])) continue;
            made_.insert(range->name);
            tree_.put(statements[at], *range);
            statements.erase(statements.begin() + static_cast<ptrdiff_t>(i),
                             statements.begin() + static_cast<ptrdiff_t>(at));
        }
    }

    // Variables that the loops declare themselves now.
    const std::set<std::string>& made() const { return made_; }

  private:
    // for ($bucket_number#1 : 0..128) { $b = $bucket_number#1; ...
    void name_bucket(ast::StmtId id) {
        const auto* found = tree_.get<ast::ForRange>(id);
        if (!found || found->name.find('#') == std::string::npos || found->body.statements.empty()) return;
        ast::ForRange range = *found;
        const auto given = start_of(range.body.statements.front());
        const auto* own = given ? tree_.get<ast::Local>(tree_.bare(given->value)) : nullptr;
        if (!own || own->name != range.name) return;
        const std::string name = name_of(*given);
        if (mentions(body_, name) != mentions(range.body, name) || writes(range.body, name) != 1) return;
        range.body.statements.erase(range.body.statements.begin());
        range.name = name;
        made_.insert(name);
        tree_.put(id, range);
    }
    bool is_local(ast::ExprId id, const std::string& name) const {
        const auto* local = tree_.get<ast::Local>(id);
        return local && local->name == name;
    }
    size_t mentions(const ast::Block& block, const std::string& name) const {
        size_t count = 0;
        tree_.each_expr(block, [&](ast::ExprId id) { count += is_local(id, name); });
        return count;
    }
    size_t writes(const ast::Block& block, const std::string& name) const {
        size_t count = 0;
        tree_.each_stmt(block, [&](ast::StmtId id) {
            const auto* assign = tree_.get<ast::Assign>(id);
            count += assign && is_local(assign->target, name);
        });
        tree_.each_expr(block, [&](ast::ExprId id) {
            const auto* step = tree_.get<ast::Step>(id);
            count += step && is_local(step->target, name);
        });
        return count;
    }

    // $i = a
    std::optional<ast::Assign> start_of(ast::StmtId id) const {
        const auto* assign = tree_.get<ast::Assign>(id);
        const bool is_it =
            assign && !assign->op && tree_.get<ast::Local>(assign->target) && tree_.is_pure(assign->value);
        return is_it ? std::optional(*assign) : std::nullopt;
    }
    // Of a loop with a `continue`, which does its step before each turn but the first.
    bool is_mark(ast::StmtId id) const {
        const auto* assign = tree_.get<ast::Assign>(id);
        const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
        return local && local->name.starts_with("begun#");
    }
    const std::string& name_of(const ast::Assign& begin) const { return tree_.get<ast::Local>(begin.target)->name; }

    bool is_step(ast::StmtId id, const std::string& name) const {
        const auto* assign = tree_.get<ast::Assign>(id);
        const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
        const auto* one = assign ? tree_.get<ast::Integer>(assign->value) : nullptr;
        return local && local->name == name && assign->op == ast::BinaryOp::add && one && one->value == 1;
    }

    // The bound of $i < bound.
    std::optional<ast::ExprId> bound_of(ast::ExprId condition, const std::string& name) const {
        const auto* less = tree_.get<ast::Binary>(condition);
        const auto* local = less && less->op == ast::BinaryOp::less ? tree_.get<ast::Local>(less->left) : nullptr;
        if (!local || local->name != name) return {};
        const ast::ExprId bound = tree_.bare(less->right);
        return tree_.get<ast::Integer>(bound) ? std::optional(bound) : std::nullopt;
    }

    std::optional<ast::ForRange> over(const ast::Assign& begin, ast::ExprId bound, ast::Block body) const {
        return ast::ForRange{name_of(begin), tree_.program[begin.target].span, begin.value, bound, std::move(body)};
    }
    std::optional<ast::ForRange> plain(const ast::While& loop, const ast::Assign& begin) const {
        const auto bound = bound_of(loop.condition, name_of(begin));
        ast::Block body = loop.body;
        if (!bound || body.statements.empty() || !is_step(body.statements.back(), name_of(begin))) return {};
        body.statements.pop_back();
        return over(begin, *bound, std::move(body));
    }
    // if ($begun) step; $begun = 1; if (!condition) break;
    std::optional<ast::ForRange> with_mark(const ast::While& loop, const ast::Assign& begin) const {
        ast::Block body = loop.body;
        if (body.statements.size() < 3 || !is_mark(body.statements[1])) return {};
        const auto* steps = tree_.get<ast::If>(body.statements[0]);
        const auto* ends = tree_.get<ast::If>(body.statements[2]);
        const auto* bounds = ends ? tree_.get<ast::Unary>(ends->condition) : nullptr;
        const bool fits =
            steps && bounds && steps->yes.statements.size() == 1 && is_step(steps->yes.statements[0], name_of(begin));
        const auto bound = fits ? bound_of(bounds->operand, name_of(begin)) : std::nullopt;
        if (!bound) return {};
        body.statements.erase(body.statements.begin(), body.statements.begin() + 3);
        return over(begin, *bound, std::move(body));
    }

    // Is the variable used in such loops only, and never written to in them?
    bool is_own(const ast::ForRange& range, ast::StmtId start) const {
        bool written = false;
        const auto is_it = [&](ast::ExprId id) { return is_local(id, range.name); };
        tree_.each_stmt(range.body, [&](ast::StmtId id) {
            const auto* assign = tree_.get<ast::Assign>(id);
            written = written || (assign && is_it(assign->target));
        });
        size_t all = 0, inside = 0, elsewhere = 0;
        tree_.each_expr(body_, [&](ast::ExprId id) { all += is_it(id); });
        tree_.each_expr(range.body, [&](ast::ExprId id) { inside += is_it(id); });
        tree_.each_stmt(body_, [&](ast::StmtId id) {
            const auto* assign = tree_.get<ast::Assign>(id);
            elsewhere += id != start && assign && is_it(assign->target) && !assign->op;
        });
        // what starts it, the condition, the step
        return !written && elsewhere == 0 && all == inside + 3;
    }

    Tree& tree_;
    const ast::Block& body_;
    std::set<std::string> made_;
};

bool is_unused(const Tree& tree, const ast::Block& body, const std::string& name) {
    return !tree.any_expr(body, [&](ast::ExprId id) {
        const auto* local = tree.get<ast::Local>(id);
        return local && local->name == name;
    });
}

}  // namespace

void count_in_ranges(Tree& tree) {
    for (ast::Item& item : tree.program.items) {
        ast::Block* body = Tree::body(item);
        if (body == nullptr) continue;
        const ast::Block before = *body;
        Ranges ranges(tree, before);
        tree.change_blocks(*body, [&](std::vector<ast::StmtId>& statements) { ranges.block(statements); });
        std::erase_if(body->statements, [&](ast::StmtId id) {
            const auto* let = tree.get<ast::Let>(id);
            return let && (ranges.made().contains(let->name) || is_unused(tree, *body, let->name));
        });
    }
}

}  // namespace lt::port
