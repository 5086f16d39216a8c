// Local variables: a number is in a slot, a string in a buffer.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// Allocates all locals of the function.
void make_locals(Lowering& l);
void set_local(Lowering& l, uint32_t local, ast::ExprId value);
void set_local(Lowering& l, uint32_t local, ir::Value number);

}  // namespace lt
