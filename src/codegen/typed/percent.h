// The percentage in percentile() as an exact number.
#pragma once

#include <cstdint>
#include <optional>

#include "parser/tree/ast.h"

namespace lt {

// In millionths of a percent, as in PlannedPercentile: from an integer from 0 to 100, or from a string like "99.9" with
// up to six digits after the point, since the language has no decimal numbers. No value for anything else.
std::optional<uint64_t> percent_share(const ast::Expr& expr);

}  // namespace lt
