// Is a plan one that the compiler could have made? What the runtime takes for granted of plans is asked here of those
// that come from files.
#pragma once

#include "base/result.h"
#include "runtime/plan.h"

namespace lt {

// Every index points to what is there, every field lies in its record, every type is of a size.
Status sound(const Plan& plan);

}  // namespace lt
