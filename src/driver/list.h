// lt -l: the probes that there are.
#pragma once

#include <string_view>

#include "base/result.h"
#include "runtime/kernel.h"

namespace lt {

// Prints all that match, a line each; an Error when none does. `verbose`: and what each has at hand. "struct NAME" is a
// type instead.
Status list_probes(Kernel& kernel, std::string_view pattern, bool verbose);

// lt --info: every feature with its answer.
void tell_features(Kernel& kernel);

}  // namespace lt
