// The kinds of expressions that have a file of their own; see expr.h.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// (type)x: between integers and addresses, between integers and arrays of their bytes, strings to other sizes.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Cast& node);

// x.name and x->name: also a part of a tuple or of a pair, and an argument of the probe (args.name). The kernel's type
// information describes the members.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Member& node);

// x[n]: an element of an array, a string or the memory at an address; a part of a tuple; a bucket of a histogram.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Index& node);

Type type_of(CheckContext& c, ast::ExprId id, const ast::Tuple& node);

// Operators: C's rules on 64-bit integers, and a table of rules for durations.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Unary& node);
Type type_of(CheckContext& c, ast::ExprId id, const ast::Binary& node);
// If the condition is decided at compile time, only the branch that is taken is checked.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Conditional& node);
// @x++ writes the map: it holds an integer unless another use gives it a type.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Step& node);

}  // namespace lt
