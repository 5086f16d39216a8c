// Loops over maps, and the key and value at their current position.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// In a block that lt runs: a loop over a copy of the map, in the requested order.
void walk_map(Lowering& l, const ast::Stmt& stmt, const ast::ForMap& node);
// The number of keys, in a block that lt runs.
ir::Value walk_length(Lowering& l, uint32_t map);
// The key or the value of the loop's pair, as a number or written to memory.
ir::Value pair_integer(Lowering& l, const PairUse& pair);
void pair_into(Lowering& l, const PairUse& pair, ir::Value to, uint32_t room);

}  // namespace lt
