// Names that are stored as numbers.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// Writes the text of a name.
void name_into(Lowering& l, ast::ExprId value, ir::Value to);

}  // namespace lt
