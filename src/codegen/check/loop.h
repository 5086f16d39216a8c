#pragma once

#include "codegen/check/context.h"

namespace lt {

void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::While& node);
// A loop over a range of integers; the ends must not be durations.
void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::ForRange& node);
// A loop over the entries of a map. An order, a limit or a choice of keys needs a loop that lt itself runs.
void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::ForMap& node);
// An error if there would be too many copies of the block.
void check_statement(CheckContext& c, const ast::Stmt& stmt, const ast::Unroll& node);

}  // namespace lt
