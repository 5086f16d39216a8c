// `lt doctor`: what this machine allows, in words that end in what to do. The features of the kernel are those of
// --info, found by trying; beside them stands what else decides what lt can do: capabilities, lockdown, limits,
// symbols.
#pragma once

#include "runtime/kernel.h"

namespace lt {

// 0: tracing works, 1: it does not. `here`: the kernel is the running one, and the rest of the machine is looked at,
// too.
int doctor(Kernel& kernel, bool here);

}  // namespace lt
