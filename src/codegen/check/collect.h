// Maps that collect: @x = count(), @x = lhist(value, 0, 100, 10).
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The row of the aggregation that an expression calls; null if it is something else.
const FunctionRow* aggregation_of(const ast::Program& program, ast::ExprId id);

// Checks @x = aggregation(...) and gives the map the type of the aggregation.
void collect(CheckContext& c, ast::ExprId target, ast::ExprId call, const FunctionRow& row);

}  // namespace lt
