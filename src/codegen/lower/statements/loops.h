// Loops. The kernel can see that each one ends: bpf_loop takes a number of iterations. A `while` gets as many
// iterations as a program may reasonably run; a loop that is cut off is counted and reported.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

void statement(Lowering& l, const ast::Stmt& stmt, const ast::While& node);
void statement(Lowering& l, const ast::Stmt& stmt, const ast::ForRange& node);
void statement(Lowering& l, const ast::Stmt& stmt, const ast::ForMap& node);
void statement(Lowering& l, const ast::Stmt& stmt, const ast::Unroll& node);
// break and continue.
void statement(Lowering& l, const ast::Stmt& stmt, const ast::Jump& node);
// The body of a loop, with a scope whose end is the target of `continue`.
void run_turn(Lowering& l, const ast::Block& body);

}  // namespace lt
