// The tree that the grammar's actions build. Its depth is limited, so that later stages can walk it recursively.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diag.h"
#include "parser/tree/ast.h"

namespace lt {

struct GrowingTree {
    // Both must outlive the tree.
    GrowingTree(ast::Program& program_in, Diags& diags_in) : program(program_in), diags(diags_in) {}

    // Adds a node whose children exist. A node that would be too deep becomes a node without children, which is an
    // error that is reported once.
    ast::ExprId add(Span span, ast::ExprNode node);
    ast::StmtId add(Span span, ast::StmtNode node);
    void add_item(Span span, ast::ItemNode node);
    // When it was added: the number of expressions and blocks inside each other.
    uint32_t depth(ast::ExprId id) const { return expr_depths_[static_cast<size_t>(id)]; }

    ast::Program& program;
    Diags& diags;
    bool too_deep = false;      // was a node too deep?
    bool after_broken = false;  // was the last item skipped because of a syntax error?

  private:
    bool fits(Span span, uint32_t depth);
    uint32_t depth_of(const ast::Block& block) const;

    std::vector<uint32_t> expr_depths_;  // by ExprId
    std::vector<uint32_t> stmt_depths_;  // by StmtId
};

}  // namespace lt
