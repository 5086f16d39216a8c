// Values of expressions. Every integer is 64 bits wide; every string is memory padded with zeros to a multiple of 8.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// The value of a numeric expression; 0 for other expressions.
ir::Value integer_of(Lowering& l, ast::ExprId id);
// Writes a value in the layout of the target type to zeroed memory at `to` + offset.
void value_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t offset, const Type& target);
// The address of a value in the layout of the target type.
ir::Value value_as(Lowering& l, ast::ExprId id, const Type& target);

}  // namespace lt
