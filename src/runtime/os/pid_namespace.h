// The namespace in which processes have their numbers.
#pragma once

#include <cstdint>
#include <utility>

namespace lt {

// The device and inode of lt's PID namespace; zeros for the initial one.
std::pair<uint64_t, uint64_t> pid_namespace();

}  // namespace lt
