#pragma once

#include "codegen/check/context.h"

namespace lt {

// Checks the number of arguments of a call and each argument against the function's row. False after an error.
bool check_arguments(CheckContext& c, ast::ExprId id, const ast::Call& node, const FunctionRow& row);

}  // namespace lt
