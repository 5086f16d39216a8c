// lt -l: the probes that there are.
#pragma once

#include <string_view>

#include "base/result.h"
#include "runtime/kernel.h"

namespace lt {

// Prints all that match, a line each; an Error when none does.
Status list_probes(Kernel& kernel, std::string_view pattern);

// lt --info: every feature with its answer.
void tell_features(Kernel& kernel);

}  // namespace lt
