// The positions of statistics in a map's value.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/typed/typed.h"
#include "stdlib/functions/builtins.h"

namespace lt {

// Indexes of words in the value.
struct StatisticWords {
    uint32_t count = 0, sum = 0;
    uint32_t least = 0, greatest = 0;  // 0 if there are none
};
// No value if the aggregation does not have the function's statistic.
std::optional<StatisticWords> statistic_words(Aggregation a, Function asked);

bool is_statistic(Function f);
// The parts that samples() must collect for the function, as bits of samples.h.
int64_t statistic_parts(Function f);

}  // namespace lt
