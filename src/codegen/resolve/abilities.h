// The kernel features that decide how this program is compiled.
#pragma once

#include "codegen/typed/typed.h"
#include "runtime/border/kernel.h"

namespace lt {

// Only the features that a program with these locations can use.
Abilities abilities(Kernel& kernel, const Typed& typed);

}  // namespace lt
