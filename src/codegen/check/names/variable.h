// Names of values: the language's variables at a probe, parameters of the script, constants.
#pragma once

#include "codegen/check/context.h"

namespace lt {

Type type_of(CheckContext& c, ast::ExprId id, const ast::Name& node);
// `...` is the latency of a span.
Type type_of(CheckContext& c, ast::ExprId id, const ast::Ellipsis& node);

// Is the variable available here? Reports an error if not.
bool is_available(CheckContext& c, ast::ExprId id, const VariableRow& row);

}  // namespace lt
