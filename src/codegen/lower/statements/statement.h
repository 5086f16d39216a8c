// Statements.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

void lower_block(Lowering& l, const ast::Block& b);
// The block of an expression, which may be a call of one of the script's functions: `return` leaves the block.
void run_block(Lowering& l, const ast::BlockValue& node);

}  // namespace lt
