#include "parser/tree/growing_tree.h"

#include <algorithm>
#include <utility>

namespace lt {
namespace {

constexpr uint32_t most_depth = 256;

}  // namespace

bool GrowingTree::fits(Span span, uint32_t depth) {
    if (depth <= most_depth) return true;
    if (!too_deep) diags.error(span, "this is nested too deeply").hint = "split it into several statements";
    too_deep = true;
    return false;
}

uint32_t GrowingTree::depth_of(const ast::Block& block) const {
    uint32_t depth = 0;
    for (ast::StmtId s : block.statements) depth = std::max(depth, stmt_depths_[static_cast<size_t>(s)]);
    return depth;
}

ast::ExprId GrowingTree::add(Span span, ast::ExprNode node) {
    ast::Expr expr{span, std::move(node)};
    uint32_t inside = 0;
    ast::each_child(expr, [&](ast::ExprId id) { inside = std::max(inside, expr_depths_[static_cast<size_t>(id)]); });
    ast::each_block(expr, [&](const ast::Block& block) { inside = std::max(inside, depth_of(block)); });
    const bool fit = fits(span, inside + 1);
    expr_depths_.push_back(fit ? inside + 1 : 0);
    return program.add(span, fit ? std::move(expr.node) : ast::Integer{0});
}

ast::StmtId GrowingTree::add(Span span, ast::StmtNode node) {
    ast::Stmt stmt{span, std::move(node)};
    uint32_t depth = 1;
    ast::each_expr(stmt, [&](ast::ExprId id) { depth = std::max(depth, expr_depths_[static_cast<size_t>(id)]); });
    ast::each_block(stmt, [&](const ast::Block& block) { depth = std::max(depth, depth_of(block) + 1); });
    const bool fit = fits(span, depth);
    stmt_depths_.push_back(fit ? depth : 0);
    return program.add(span, fit ? std::move(stmt.node) : ast::Scope{});
}

void GrowingTree::add_item(Span span, ast::ItemNode node) {
    after_broken = false;
    program.items.push_back({span, std::move(node)});
}

}  // namespace lt
