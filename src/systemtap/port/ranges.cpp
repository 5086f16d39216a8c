// for (i = a; i < b; i++) has become an assignment and a `while`. If nothing else changes i or b, and nothing uses i
// after the loop, it becomes a loop over a range. foreach (b in @hist_log(x)) already is such a loop; if b has no other
// use, it becomes the loop's own variable.
#include <algorithm>

#include "systemtap/port/steps.h"

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

    // Variables that the loops now declare themselves.
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
        if (mentions(body_, name) != mentions(range.body, name) || tree_.writes(range.body, name) != 1) return;
        range.body.statements.erase(range.body.statements.begin());
        range.name = name;
        made_.insert(name);
        tree_.put(id, range);
    }
    size_t mentions(const ast::Block& block, const std::string& name) const { return tree_.uses(block, name).size(); }

    // $i = a
    std::optional<ast::Assign> start_of(ast::StmtId id) const {
        const auto* assign = tree_.get<ast::Assign>(id);
        const bool is_it =
            assign && !assign->op && tree_.get<ast::Local>(assign->target) && tree_.is_pure(assign->value);
        return is_it ? std::optional(*assign) : std::nullopt;
    }
    // The mark of a loop with `continue`, whose step runs before each iteration but the first.
    bool is_mark(ast::StmtId id) const {
        const auto* local = tree_.target<ast::Local>(id);
        return local && local->name.starts_with("begun#");
    }
    const std::string& name_of(const ast::Assign& begin) const { return tree_.get<ast::Local>(begin.target)->name; }

    bool is_step(ast::StmtId id, const std::string& name) const {
        const auto* assign = tree_.get<ast::Assign>(id);
        const auto* one = assign ? tree_.get<ast::Integer>(assign->value) : nullptr;
        return one && one->value == 1 && assign->op == ast::BinaryOp::add && tree_.is<ast::Local>(assign->target, name);
    }

    // The bound of $i < bound.
    std::optional<ast::ExprId> bound_of(ast::ExprId condition, const std::string& name) const {
        const auto* less = tree_.get<ast::Binary>(condition);
        if (!less || less->op != ast::BinaryOp::less || !tree_.is<ast::Local>(less->left, name)) return {};
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

    // Is the variable only used in such loops, and never written inside?
    bool is_own(const ast::ForRange& range, ast::StmtId start) const {
        const bool written = tree_.writes(range.body, range.name) > 0;
        size_t elsewhere = 0;
        tree_.each_stmt(body_, [&](ast::StmtId id) {
            const auto* assign = tree_.get<ast::Assign>(id);
            elsewhere += id != start && assign && !assign->op && tree_.is<ast::Local>(assign->target, range.name);
        });
        // its initialization, the condition, the step
        return !written && elsewhere == 0 && mentions(body_, range.name) == mentions(range.body, range.name) + 3;
    }

    Tree& tree_;
    const ast::Block& body_;
    std::set<std::string> made_;
};

}  // namespace

void count_in_ranges(Tree& tree) {
    tree.each_body([&](ast::Block& body) {
        const ast::Block before = body;
        Ranges ranges(tree, before);
        tree.change_blocks(body, [&](std::vector<ast::StmtId>& statements) { ranges.block(statements); });
        std::erase_if(body.statements, [&](ast::StmtId id) {
            const auto* let = tree.get<ast::Let>(id);
            return let && (ranges.made().contains(let->name) || tree.uses(body, let->name).empty());
        });
    });
}

}  // namespace lt::port
