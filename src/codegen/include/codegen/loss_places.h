// With bpftrace's -k: what could not be done is counted for each place of the program's text.
#pragma once

#include "base/source.h"
#include "codegen/ir.h"

namespace lt {

// Gives each place that can lose something a counter of its own, whose subject is the position. `source` is the
// program's text; what is in a file that it imports has no place.
void count_by_place(ir::Program& program, const Source& source);

// A line and a column of the program as the subject of a loss that has no other one; 0: there is none.
struct LossPlace {
    uint32_t line = 0;
    uint32_t column = 0;
};
constexpr uint32_t most_columns = 1U << 12;
constexpr uint32_t loss_subject(LossPlace place) { return place.line * most_columns + place.column; }
constexpr LossPlace loss_place(uint32_t subject) { return {subject / most_columns, subject % most_columns}; }

}  // namespace lt
