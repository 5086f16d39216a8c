// What only a session knows and its programs ask for: when it began, clocks, CPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/plan.h"

namespace lt {

// The bytes of the parameters at the start, with these values in their places.
std::vector<uint8_t> with_session_values(const Plan& plan);

}  // namespace lt
