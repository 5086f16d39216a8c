// Everything that decides which plan lt makes of a script, besides the files of programs: the command line, the
// script's text, the environment, the user and the privileges, this lt, the running kernel since it booted, and its
// modules.
#pragma once

#include <string>

#include "base/source.h"
#include "driver/cli/command.h"

namespace lt {

// Two runs with the same key have the same plan, as long as the files are the same.
std::string run_key(const Command& command, const Source& source);

}  // namespace lt
