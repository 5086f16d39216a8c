// Expressions. Each kind has a function type_of(), which returns the type of its value: kind none after an error, or
// if a later round finds the type. Those for literals are in expr.cpp, others in type_of.h and sizes.h.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// Checks an expression that may have no value, such as a call of printf(). Stores and returns its type.
Type check_expression(CheckContext& c, ast::ExprId id);

// The same for an expression that must have a value. The value of a map that counts or adds up is the sum of all CPUs.
Type check_value(CheckContext& c, ast::ExprId id);

// An error if the expression is neither an integer nor a comparison; `what` names it: "a predicate".
void check_condition(CheckContext& c, ast::ExprId id, std::string_view what);

// A short form of an expression for hints: a name, or "...".
std::string short_text(const ast::Program& program, ast::ExprId id);

}  // namespace lt
