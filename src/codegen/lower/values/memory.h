// Reads of memory that may fail. A failed read is a run-time error if the script enables them, otherwise a loss.
#pragma once

#include <functional>

#include "codegen/lower/context.h"

namespace lt {

// Reads bytes, or a string, from user or kernel memory at the address that an expression yields.
void read_bytes(Lowering& l, ir::Value to, ir::Value size, ast::ExprId address, bool text, Span where = {},
                bool lenient = true);
// Reads a string that ends with a zero or fills all of `size`. `at` returns the address of the byte at an index.
// Returns the helper's result.
ir::Value read_letters(Lowering& l, ir::Value to, uint32_t size, bool user,
                       const std::function<ir::Value(uint32_t)>& at);
// Reads a number of `width` bytes.
ir::Value read_word(Lowering& l, ir::Value address, uint8_t width, bool is_signed, bool user, Span where,
                    bool lenient = false);
// Counts a loss if a read helper returned an error.
void count_failure(Lowering& l, ir::Value result);
// Handles the result of a read helper. `what` names the kind of memory in the message; empty for members and elements.
void if_unreadable(Lowering& l, ir::Value result, ir::Value address, Span where, std::string_view what,
                   bool lenient = false);

}  // namespace lt
