// Values in memory: strings, structures, tuples, stacks.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// The address of `room` bytes (a multiple of 8) with the value, padded with zeros.
ir::Value text_of(Lowering& l, ast::ExprId id, uint32_t room);
// The same, but for an array of characters in memory it includes all bytes, even after a zero.
ir::Value bytes_of(Lowering& l, ast::ExprId id, uint32_t room);
// Writes the value to zeroed memory at `to` + offset.
void text_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t offset, uint32_t room);
// Writes a string field of the context's record, up to `size` bytes.
void field_text(Lowering& l, const Field& field, ir::Value to, uint32_t size);
// Writes a string that has_open_end(), up to `size` bytes with the zero after it; and up to `asked` bytes, unless that
// is no_value.
void open_text_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t size, ir::Value asked);
// Writes both strings, one after the other, to zeroed memory. Truncates the result to `size`.
void joined_into(Lowering& l, ast::ExprId left, ast::ExprId right, uint32_t size, ir::Value to);

}  // namespace lt
