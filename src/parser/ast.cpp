#include "parser/ast.h"

#include <array>

namespace lt::ast {
namespace {

constexpr std::array<std::string_view, 5> unary_spellings = {"-", "!", "~", "*", "&"};
constexpr std::array<std::string_view, 18> binary_spellings = {
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||",
};

}  // namespace

std::string_view spelling(UnaryOp op) { return unary_spellings[static_cast<size_t>(op)]; }
std::string_view spelling(BinaryOp op) { return binary_spellings[static_cast<size_t>(op)]; }

ExprId Program::add(Span span, ExprNode node) {
    exprs.push_back({span, std::move(node)});
    return static_cast<ExprId>(exprs.size() - 1);
}

StmtId Program::add(Span span, StmtNode node) {
    stmts.push_back({span, std::move(node)});
    return static_cast<StmtId>(stmts.size() - 1);
}

}  // namespace lt::ast
