// Where the numbers lie that are asked of what a map collects.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/typed.h"
#include "stdlib/builtins.h"

namespace lt {

// Words of the value.
struct StatisticWords {
    uint32_t count = 0, sum = 0;
    uint32_t least = 0, greatest = 0;  // orders; 0: there are none
};
// Where there is what the function asks for.
std::optional<StatisticWords> statistic_words(Aggregation a, Function asked);

bool is_statistic(Function f);
// What samples() must collect for it: bits of samples.h.
int64_t statistic_parts(Function f);

// An integer as it stands, perhaps with a minus.
std::optional<int64_t> known_integer(const ast::Program& program, ast::ExprId id);

}  // namespace lt
