// What only a session knows and its programs ask for: when it began, clocks, CPUs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "runtime/plan.h"

namespace lt {

// The device and inode of lt's own namespace of processes; zeros where that is the first one.
std::pair<uint64_t, uint64_t> pid_namespace();

// The bytes of the parameters at the start, with these values in their places. `command`: the process of -c, 0 without
// one; a program that asks for it and not whether there is one is refused then.
Result<std::vector<uint8_t>> with_session_values(const Plan& plan, int command);

}  // namespace lt
