// Aggregations, combined over all CPUs.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// An error if programs of this kernel cannot read the values of other CPUs.
void need_other_cpus(Lowering& l);
// The number that an aggregation represents: a sum, a mean, an extreme.
ir::Value folded_number(Lowering& l, uint32_t map, ir::Value key);
// The same for a value that is already combined over all CPUs.
ir::Value folded_value(Lowering& l, const Type& type, ir::Value value);
// The average of what was collected.
ir::Value average_of(Lowering& l, const Type& type, ir::Value sum, ir::Value count);
// The sum over all CPUs of the word at this offset, and the largest of them.
ir::Value folded_word(Lowering& l, uint32_t map, ir::Value key, uint32_t offset);
ir::Value folded_most(Lowering& l, uint32_t map, ir::Value key, uint32_t offset);

}  // namespace lt
