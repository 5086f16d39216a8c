// Names of values: the language's variables at a probe, parameters of the script, constants.
#pragma once

#include "codegen/check/context.h"

namespace lt {

Type type_of(CheckContext& c, ast::ExprId id, const ast::Name& node);
// `...` is the latency of a span.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Ellipsis& node);

// Is the variable available here? Reports an error if not.
bool is_available(CheckContext& c, ast::ExprId id, const VariableRow& row);

// The type of the base of `->`. Where `retval` is a plain number, it is here the address that the function's
// declaration returns.
Type result_with_members(CheckContext& c, ast::ExprId base);

}  // namespace lt
