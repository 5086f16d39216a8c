// Removes code that never runs: branches with conditions known in advance, and functions that are then never called.
// Globals that nothing writes to and words of the command line are known.
#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

class Dead {
  public:
    explicit Dead(Tree& tree) : tree_(tree) {}

    bool run() {
        any_ = std::erase_if(tree_.program.items, [&](const ast::Item& item) {
                   const auto* action = std::get_if<ast::Action>(&item.node);
                   return action && action->predicate && known(*action->predicate) == false;
               }) > 0;
        for (ast::Item& item : tree_.program.items) {
            ast::Block* body = Tree::body(item);
            if (body == nullptr) continue;
            dropped_.statements.clear();
            tree_.change_blocks(*body, [&](std::vector<ast::StmtId>& all) { drop_branches(all); });
            drop_last_leave(*body);
            const auto* function = std::get_if<ast::FunctionItem>(&item.node);
            for (const auto& [name, value] : dropped_values()) {
                const auto is_it = [&](const auto& parameter) { return parameter.name == name; };
                if (function && std::ranges::any_of(function->parameters, is_it)) continue;
                place_value(*body, name, value);
            }
        }
        if (any_) drop_functions();
        return any_;
    }

  private:
    void drop_last_leave(ast::Block& body) const {
        if (!any_ || body.statements.empty()) return;
        const auto* leave = tree_.get<ast::Return>(body.statements.back());
        if (leave && !leave->value) body.statements.pop_back();
    }

    // The value of a condition if it is always the same and has no effect.
    std::optional<bool> known(ast::ExprId id) const {
        id = tree_.bare(id);
        if (const auto* number = tree_.get<ast::Integer>(id)) return number->value != 0;
        const auto* unary = tree_.get<ast::Unary>(id);
        if (unary && unary->op == ast::UnaryOp::logical_not) {
            const auto operand = known(unary->operand);
            return operand ? std::optional(!*operand) : std::nullopt;
        }
        const auto* binary = tree_.get<ast::Binary>(id);
        if (binary == nullptr) return {};
        if (binary->op == ast::BinaryOp::logical_and) return decided(*binary, false);
        if (binary->op == ast::BinaryOp::logical_or) return decided(*binary, true);
        const auto same = compared(binary->left, binary->right);
        if (!same || (binary->op != ast::BinaryOp::equal && binary->op != ast::BinaryOp::not_equal)) return {};
        return *same == (binary->op == ast::BinaryOp::equal);
    }
    std::optional<bool> compared(ast::ExprId left, ast::ExprId right) const {
        const auto *text = tree_.get<ast::String>(left), *other_text = tree_.get<ast::String>(right);
        if (text && other_text) return text->value == other_text->value;
        const auto *number = tree_.get<ast::Integer>(tree_.bare(left)),
                   *other = tree_.get<ast::Integer>(tree_.bare(right));
        return number && other ? std::optional(number->value == other->value) : std::nullopt;
    }
    // One side decides if its value is known, unless the other one has an effect before it.
    std::optional<bool> decided(const ast::Binary& both, bool decides) const {
        const auto left = known(both.left), right = known(both.right);
        if (left && *left == decides) return decides;
        if (right && *right == decides && asks_only(both.left)) return decides;
        return left && right ? std::optional(!decides) : std::nullopt;
    }
    bool asks_only(ast::ExprId id) const {
        return !tree_.any_expr(id, [&](ast::ExprId e) {
            return tree_.get<ast::Call>(e) || tree_.get<ast::Step>(e) || tree_.get<ast::BlockValue>(e);
        });
    }

    void drop_branches(std::vector<ast::StmtId>& all) {
        std::vector<ast::StmtId> out;
        for (ast::StmtId id : all) {
            const auto* branch = tree_.get<ast::If>(id);
            const auto is_so = branch ? known(branch->condition) : std::nullopt;
            if (!is_so) {
                out.push_back(id);
                continue;
            }
            const ast::Block &taken = *is_so ? branch->yes : branch->no, &other = *is_so ? branch->no : branch->yes;
            dropped_.statements.insert(dropped_.statements.end(), other.statements.begin(), other.statements.end());
            out.insert(out.end(), taken.statements.begin(), taken.statements.end());
            any_ = true;
        }
        const auto leaves = std::ranges::find_if(
            out, [&](ast::StmtId id) { return tree_.get<ast::Return>(id) || tree_.get<ast::Jump>(id); });
        if (leaves != out.end()) out.erase(leaves + 1, out.end());
        all = std::move(out);
    }

    // The values before any assignment, an empty text or 0, of the locals of which an assignment is dropped.
    // Those that may be either are left out.
    std::map<std::string, ast::ExprNode> dropped_values() const {
        std::map<std::string, ast::ExprNode> out;
        tree_.each_stmt(dropped_, [&](ast::StmtId id) {
            const auto* local = tree_.target<ast::Local>(id);
            if (local == nullptr) return;
            const ast::ExprId value = tree_.bare(tree_.get<ast::Assign>(id)->value);
            const auto* binary = tree_.get<ast::Binary>(value);
            if (tree_.get<ast::String>(value) || tree_.call(value, {"sprintf", "str", "substr"}))
                out.emplace(local->name, ast::String{});
            else if (tree_.get<ast::Integer>(value) || (binary && binary->op != ast::BinaryOp::add))
                out.emplace(local->name, ast::Integer{0});
        });
        return out;
    }
    // For a local that nothing assigns any more.
    void place_value(ast::Block& body, const std::string& name, const ast::ExprNode& value) {
        bool is_given = tree_.writes(body, name) > 0;
        const auto declares = [&](ast::StmtId id) {
            const auto* let = tree_.get<ast::Let>(id);
            return let && let->name == name;
        };
        tree_.each_stmt(body, [&](ast::StmtId id) {
            const auto* range = tree_.get<ast::ForRange>(id);
            const auto* let = tree_.get<ast::Let>(id);
            is_given = is_given || (range && range->name == name) || (declares(id) && let->value);
        });
        if (is_given) return;
        for (ast::ExprId use : tree_.uses(body, name)) tree_.put(use, value);
        std::erase_if(body.statements, declares);
    }

    void drop_functions() {
        for (bool more = true; more;) {
            std::set<std::string> called;
            for (const ast::Item& item : tree_.program.items) {
                tree_.each_expr(item, [&](ast::ExprId id) {
                    if (const auto* call = tree_.get<ast::Call>(id)) called.insert(call->name);
                });
            }
            more = std::erase_if(tree_.program.items, [&](const ast::Item& item) {
                       const auto* f = std::get_if<ast::FunctionItem>(&item.node);
                       return f != nullptr && !called.contains(f->name);
                   }) > 0;
        }
    }

    Tree& tree_;
    bool any_ = false;
    ast::Block dropped_ = {};  // of the current body
};

}  // namespace

bool drop_dead(Tree& tree) { return Dead(tree).run(); }

}  // namespace lt::port
