// Grammar actions for statements, and for blocks and `if` with a value. Whether the last statement is a value is known
// only when the construct around it is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parser/tree/growing_tree.h"

namespace lt {

using Statements = std::vector<ast::StmtId>;

ast::StmtId add_assignment(GrowingTree& tree, Span span, ast::ExprId target, std::optional<ast::BinaryOp> op,
                           ast::ExprId value);
// A loop over a map, or over sort(@map, ...) or top(@map, n, ...).
ast::StmtId add_for_map(GrowingTree& tree, Span span, ast::ForMap loop);
// An import in a block applies to the whole program.
ast::StmtId add_import(GrowingTree& tree, Span span, std::string path, Span path_span);

// A statement that stays a statement: a value alone is refused, or becomes the statement that is intended.
ast::StmtId used(GrowingTree& tree, ast::StmtId statement);
// The same for the last of these statements, which is not a value.
void settle(GrowingTree& tree, const Statements& statements);

// { statements; value }
ast::ExprId add_block_value(GrowingTree& tree, Span span, Statements statements);
// if (condition) { ...; value } else { ...; value }
ast::ExprId add_choice(GrowingTree& tree, Span span, ast::ExprId condition, const ast::Block& yes,
                       const ast::Block& no);
// Removes the value that every path through the block ends with from the statements, and returns it. Empty: not every
// path ends with a value, or `calls_are_statements` and all of them end with calls.
std::optional<ast::ExprId> take_value(GrowingTree& tree, Statements& statements, bool calls_are_statements);

}  // namespace lt
