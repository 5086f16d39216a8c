// `lt doctor`: what this machine allows, and what to do about the rest. Shows the kernel features of --info, found by
// trying, and what else limits lt: capabilities, lockdown, resource limits, symbols.
#pragma once

#include <string_view>

#include "runtime/border/kernel.h"

namespace lt {

// Returns 0 if tracing works, else 1. `folder` describes the kernel; if it is empty, the kernel is the running one, and
// the rest of the machine is checked, too.
int doctor(Kernel& kernel, std::string_view folder);

}  // namespace lt
