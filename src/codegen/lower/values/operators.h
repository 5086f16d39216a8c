// Operators on numbers and strings.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// 1 for everything except 0.
ir::Value truth(Lowering& l, ir::Value v);
// A number divided by zero is 0, or 1 if the script's settings say so.
ir::Value arithmetic(Lowering& l, ast::BinaryOp op, bool is_signed, ir::Value a, ir::Value b);
// In an addition to an address (of type `other`), the other operand counts elements, as in C.
ir::Value scaled(Lowering& l, ir::Value v, const Type& other, const Type& own);
ir::Value unary_value(Lowering& l, ast::ExprId id, const ast::Unary& node);
ir::Value binary_value(Lowering& l, const ast::Binary& node);
// The value of a condition that is known at compile time. Sides of it that do not decide are evaluated for what they change.
std::optional<bool> decision_of(Lowering& l, ast::ExprId condition);

}  // namespace lt
