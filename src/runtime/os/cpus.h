// The CPUs of this machine.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// The online CPUs, ascending.
Result<std::vector<int>> online_cpus();

// The kernel's list format: "0-3,5", with or without a newline.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

}  // namespace lt
