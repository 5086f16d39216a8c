// For bpftrace's -k: counts failures separately for each location in the script.
#pragma once

#include "base/source.h"
#include "codegen/ir/ir.h"

namespace lt {

// Gives each operation that can fail its own counter among the plan's losses, with the position as its subject.
// `source` is the script's text; positions in imported files do not get a counter.
void count_by_place(ir::Program& program, std::vector<PlannedLoss>& losses, const Source& source);

// A line and column of the script, as the subject of a loss that has no other subject; 0: none.
struct LossPlace {
    uint32_t line = 0;
    uint32_t column = 0;
};
constexpr uint32_t most_columns = 1U << 12;
constexpr uint32_t loss_subject(LossPlace place) { return place.line * most_columns + place.column; }
constexpr LossPlace loss_place(uint32_t subject) { return {subject / most_columns, subject % most_columns}; }

}  // namespace lt
