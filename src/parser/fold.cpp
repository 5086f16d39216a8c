// The address of a variable or of a map's entry, followed where it is taken, is that variable or entry. What
// is left then is a number, for which the variable needs a place in memory.
#include "expand.h"

namespace lt {
namespace {

class Folder {
  public:
    explicit Folder(ast::Program& program) : program_(program) {}

    // An expression stands behind its parts, so those that are followed themselves are done before it.
    void run() {
        for (ast::Expr& e : program_.exprs) {
            if (const auto* unary = std::get_if<ast::Unary>(&e.node)) {
                if (unary->op == ast::UnaryOp::dereference) put(e, taken(unary->operand));
            } else if (auto* member = std::get_if<ast::Member>(&e.node)) {
                if (const auto of = taken(member->base)) member->base = *of;
            } else if (const auto* index = std::get_if<ast::Index>(&e.node)) {
                const auto* number = std::get_if<ast::Integer>(&program_[index->index].node);
                if (number && number->value == 0) put(e, taken(index->base));
            }
        }
    }

  private:
    // What the address is of.
    std::optional<ast::ExprId> taken(ast::ExprId id) const {
        const auto* unary = std::get_if<ast::Unary>(&program_[id].node);
        if (!unary || unary->op != ast::UnaryOp::address) return {};
        const ast::ExprNode& of = program_[unary->operand].node;
        const bool own = std::holds_alternative<ast::Local>(of) || std::holds_alternative<ast::Map>(of);
        return own ? std::optional(unary->operand) : std::nullopt;
    }

    void put(ast::Expr& e, std::optional<ast::ExprId> of) const {
        if (!of) return;
        ast::ExprNode node = program_[*of].node;
        e.node = std::move(node);
    }

    ast::Program& program_;
};

}  // namespace

void fold_addresses(ast::Program& program) { Folder(program).run(); }

}  // namespace lt
