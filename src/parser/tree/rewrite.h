// Tree rewriting: copies of parts, and the slots in a node that refer to children.
#pragma once

#include <functional>

#include "parser/tree/ast.h"

namespace lt::ast {

ExprId clone(Program& program, ExprId id);
Block clone(Program& program, const Block& block);

// Keeps only the parts that the program's items reach.
void compact(Program& program);

// Calls `change` for each direct child of a node; it may replace the child.
void each_slot(ExprNode& node, const std::function<void(ExprId&)>& change);
void each_slot(StmtNode& node, const std::function<void(ExprId&)>& change);
void each_block_slot(ExprNode& node, const std::function<void(Block&)>& change);
void each_block_slot(StmtNode& node, const std::function<void(Block&)>& change);

}  // namespace lt::ast
