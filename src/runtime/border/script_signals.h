// The signals that scripts can have blocks for. What runs several scripts blocks them to its end: one script's mask
// ends with it, while others still wait.
#pragma once

#include <signal.h>

#include <array>

namespace lt {

inline constexpr std::array script_signals{SIGUSR1, SIGUSR2};

}  // namespace lt
