// Dereferencing an address at the place where it is taken gives the variable or map entry itself. All other addresses
// are numbers, and their variables need memory.
#include "parser/lt/expand.h"

namespace lt {
namespace {

class Folder {
  public:
    explicit Folder(ast::Program& program) : program_(program) {}

    // An expression comes after its parts, so that nested dereferences are replaced first.
    void run() {
        for (ast::Expr& e : program_.exprs) {
            if (const auto* unary = std::get_if<ast::Unary>(&e.node)) {
                if (unary->op == ast::UnaryOp::dereference) put(e, taken(unary->operand));
            } else if (auto* member = std::get_if<ast::Member>(&e.node)) {
                if (const auto of = taken(member->base)) member->base = *of;
            } else if (const auto* index = std::get_if<ast::Index>(&e.node)) {
                const auto* number = program_.get<ast::Integer>(index->index);
                if (number && number->value == 0) put(e, taken(index->base));
            }
        }
    }

  private:
    // The operand of the address operator.
    std::optional<ast::ExprId> taken(ast::ExprId id) const {
        const auto* unary = program_.get<ast::Unary>(id);
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
