// The text of the program that a command line names.
#pragma once

#include "base/result.h"
#include "base/source.h"
#include "command.h"

namespace lt {

Result<Source> read_source(const Command& command);

}  // namespace lt
