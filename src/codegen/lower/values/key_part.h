// Values whose bytes are compared: parts of keys, of maps and of spans between two events, and both sides of `==`.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// Writes a value as value_into() does. Bytes and bits of its structures that belong to no member are zero, so that
// equal values are equal keys.
void key_part_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t offset, const Type& target);

// Zeroes the bytes and bits at `at` + offset that belong to no member of the value's structures.
void clear_padding(Lowering& l, ir::Value at, uint32_t offset, const Type& type);

}  // namespace lt
