// lt -l: the probes that there are.
#pragma once

#include <string_view>

#include "base/result.h"
#include "runtime/kernel.h"

namespace lt {

// Prints all that match one of the patterns, which have commas between them, a line each; an Error when nothing matches
// one. `verbose`: and what each has at hand. `process`: whose files `*` in the place of one means, 0 for those of all.
// "struct NAME" is a type instead, a pattern of types their names (`verbose`: their members).
Status list_probes(Kernel& kernel, std::string_view patterns, bool verbose, int process = 0);

// Prints what a probe has at hand, a line each; nothing where that is not known.
void list_at_hand(Kernel& kernel, std::string_view probe);

// lt --info: every feature with its answer.
void tell_features(Kernel& kernel);

}  // namespace lt
