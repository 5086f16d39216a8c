// The differences between two texts.
#pragma once

#include <string>

#include "base/result.h"

namespace lt {

// Prints them to standard output, in the unified format of diff(1), which it runs. Nothing if nothing differs.
Status print_diff(const std::string& name, const std::string& before, const std::string& after);

}  // namespace lt
