// The percent of percentile() as a number that needs no rounding.
#pragma once

#include <cstdint>
#include <optional>

#include "parser/ast.h"

namespace lt {

// In millionths of a percent, as PlannedPercentile keeps it: of an integer from 0 to 100, or of a string like "99.9"
// with up to six digits after the point, since the language has no decimal numbers. Nothing where it is neither.
std::optional<uint64_t> percent_share(const ast::Expr& expr);

}  // namespace lt
