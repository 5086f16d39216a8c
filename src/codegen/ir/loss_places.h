// For bpftrace's -k: counts failures separately for each location in the script.
#pragma once

#include "base/source.h"
#include "codegen/ir/ir.h"

namespace lt {

// Gives each operation that can fail its own counter among the plan's losses, with the position as its subject.
// `source` is the script's text; positions in imported files do not get a counter.
void count_by_place(ir::Program& program, std::vector<PlannedLoss>& losses, const Source& source);

}  // namespace lt
