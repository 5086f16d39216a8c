// Aggregations: how programs update the values of maps.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// Adds the value of count(x), sum(x), ... to the map, in the current generation.
void collect(Lowering& l, uint32_t map, ir::Value key, const FunctionRow& row, const ast::Call& call_node, Span where);
// Can this CPU update its value without an atomic operation? Other values are shared by all CPUs.
ir::Value is_alone(Lowering& l, uint32_t map);

}  // namespace lt
