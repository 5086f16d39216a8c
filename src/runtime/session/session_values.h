// Values that only a session knows and its programs need: start time, clocks, CPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"

namespace lt {

// The initial bytes of the parameters, with the session's values filled in. `command`: the process of -c, or 0. An
// error if a program needs that process and there is none.
Result<std::vector<uint8_t>> with_session_values(const Plan& plan, int command);

}  // namespace lt
