// Operators: C's rules on 64-bit integers, and a table of rules for durations.
#pragma once

#include "codegen/check/context.h"

namespace lt {

Type type_of(CheckContext& c, ast::ExprId id, const ast::Unary& node);
Type type_of(CheckContext& c, ast::ExprId id, const ast::Binary& node);
// If the condition is decided at compile time, only the branch that is taken is checked.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Conditional& node);
// @x++ writes the map: it holds an integer unless another use gives it a type.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Step& node);

}  // namespace lt
