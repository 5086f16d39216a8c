// Run-time errors, if the script's settings enable them: a division by zero, memory that cannot be read, a full map,
// and errors that the script raises. An error continues at the handler of the innermost `try` around it. Uncaught
// errors leave the function at one point, which reports to the runtime which error it was.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// The "near" part of an error message, and its position.
struct Near {
    std::string text;
    PlannedPosition where;
};

PlannedPosition position(const Lowering& l, Span where);
// "identifier '$p' at x.stp:3:14": the word at the start of that text.
Near near_word(const Lowering& l, Span where);
// Code after it does not run.
void raise_error(Lowering& l, const std::string& text, const Near& near, std::optional<ir::Value> address = {});
// Ends a function that can fail. The rest of the function is skipped after an error.
void close_errors(Lowering& l);
// Handles a zero divisor if `op` divides: an error, otherwise a loss. `assigns`: it is /= or %=.
void if_no_divisor(Lowering& l, ast::BinaryOp op, ir::Value by, ast::ExprId left, ast::ExprId right, bool assigns);
// Handles the result of an update: not zero if the map did not accept a new key.
void if_full(Lowering& l, ir::Value failed, uint32_t map, Span where);
void map_overflow(Lowering& l, Span where);
// try and error().
void statement(Lowering& l, const ast::Stmt& stmt, const ast::Attempt& node);
void statement(Lowering& l, const ast::Stmt& stmt, const ast::Raise& node);

}  // namespace lt
