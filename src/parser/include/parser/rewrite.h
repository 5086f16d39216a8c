// Changing a tree: copies of its parts, and the places in a node that name others.
#pragma once

#include <functional>

#include "parser/ast.h"

namespace lt::stp {

ast::ExprId clone(ast::Program& program, ast::ExprId id);
ast::Block clone(ast::Program& program, const ast::Block& block);

// Calls `change` with each direct child of a node, which may put another in its place.
void each_slot(ast::ExprNode& node, const std::function<void(ast::ExprId&)>& change);
void each_slot(ast::StmtNode& node, const std::function<void(ast::ExprId&)>& change);
void each_block_slot(ast::ExprNode& node, const std::function<void(ast::Block&)>& change);
void each_block_slot(ast::StmtNode& node, const std::function<void(ast::Block&)>& change);

}  // namespace lt::stp
