// The text of the script that a command line names.
#pragma once

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"

namespace lt {

Result<Source> read_source(const Command& command);

}  // namespace lt
