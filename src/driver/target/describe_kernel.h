// Writes a description of the running kernel, from which `lt build --for` compiles on another machine.
#pragma once

#include "base/result.h"
#include "driver/cli/command.h"

namespace lt {

// The value of --describe is a folder, which must not exist or be empty. Prints what it has written. Returns the exit
// status.
int describe_kernel(const Command& command);

}  // namespace lt
