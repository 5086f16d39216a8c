// Could the compiler have made this plan? Checks plans from files for everything that the runtime takes for granted.
#pragma once

#include "base/result.h"
#include "runtime/border/plan.h"

namespace lt {

// Every index is valid, every field is inside its record, every type has a size.
Status sound(const Plan& plan);

}  // namespace lt
