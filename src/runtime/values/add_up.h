// Adds up values of one map whose keys read the same.
#pragma once

#include "runtime/values/value.h"

namespace lt {

// Is the value of two such keys together known from their values? Not for variables, samples() and tseries().
bool can_add_up(const Type& type);

// Counts, sums and buckets are added, extremes compared. False if that is not possible, or the sum does not fit into
// 64 bits: then nothing is changed.
bool add_up(Value& into, const Value& more);

}  // namespace lt
