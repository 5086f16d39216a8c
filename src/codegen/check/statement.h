#pragma once

#include "codegen/check/context.h"

namespace lt {

// Checks a block in its own scope: the variables that it declares end with it.
void check_block(CheckContext& c, const ast::Block& block);

void check_statement(CheckContext& c, const ast::Stmt& stmt);

}  // namespace lt
