// Maps that collect: @x = count(), @x = lhist(value, 0, 100, 10).
#pragma once

#include <string_view>

#include "codegen/check/context.h"

namespace lt {

// Do the bounds of all buckets of one width fit in 64 bits, and their distance from the least one?
bool bounds_fit(int64_t least, int64_t greatest, int64_t step);
inline constexpr std::string_view bounds_too_large = "these bounds are too large for a histogram";

// The row of the aggregation that an expression calls; null if it is something else.
const FunctionRow* aggregation_of(const ast::Program& program, ast::ExprId id);

// Checks @x = aggregation(...) and gives the map the type of the aggregation.
void collect(CheckContext& c, ast::ExprId target, ast::ExprId call, const FunctionRow& row);

}  // namespace lt
