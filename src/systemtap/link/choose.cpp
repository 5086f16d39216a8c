#include "systemtap/link/choose.h"

#include <optional>

#include "parser/tree/rewrite.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {
namespace {

class Choices {
  public:
    explicit Choices(ast::Program& program) : program_(program) {}

    // Applies everything that follows a choice of two values to each of them.
    void follow(ast::ExprId id) {
        const auto inner = followed(program_[id].node);
        if (!inner) return;
        follow(*inner);
        const auto* choice = program_.get<ast::Conditional>(*inner);
        if (choice == nullptr || (program_.is<ast::Call>(id, "@defined") && !asks_defined(choice->condition))) return;
        const ast::Conditional copy = *choice;
        const ast::ExprId yes = applied_to(id, copy.yes, false), no = applied_to(id, copy.no, true);
        program_.put(id, ast::Conditional{copy.condition, yes, no});
    }

  private:
    // The operand of a member, an element, an address or a query.
    static std::optional<ast::ExprId> followed(const ast::ExprNode& node) {
        if (const auto* member = std::get_if<ast::Member>(&node)) return member->base;
        if (const auto* index = std::get_if<ast::Index>(&node)) return index->base;
        const auto* call = std::get_if<ast::Call>(&node);
        const bool fits =
            call && call->arguments.size() == 1 && (call->name == address_call || call->name == "@defined");
        return fits ? std::optional(call->arguments[0]) : std::nullopt;
    }

    bool asks_defined(ast::ExprId id) const {
        return ast::any_expr_in(program_, id, [&](ast::ExprId e) { return program_.is<ast::Call>(e, "@defined"); });
    }

    // The expression at `id`, applied to another value; for the second of two values its parts are copied.
    ast::ExprId applied_to(ast::ExprId id, ast::ExprId value, bool second) {
        ast::Expr made = program_[id];
        if (auto* member = std::get_if<ast::Member>(&made.node)) member->base = value;
        if (auto* index = std::get_if<ast::Index>(&made.node)) {
            index->base = value;
            if (second) index->index = ast::clone(program_, index->index);
        }
        if (auto* call = std::get_if<ast::Call>(&made.node)) call->arguments[0] = value;
        const ast::ExprId out = program_.add(made.span, made.node);
        follow(out);
        return out;
    }

    ast::Program& program_;
};

}  // namespace

void follow_choices(ast::Program& program) {
    Choices choices(program);
    const size_t read = program.exprs.size();
    for (size_t i = 0; i < read; i++) choices.follow(static_cast<ast::ExprId>(i));
}

}  // namespace lt::stp
