// The words of a tool's command line: $1, $2 ... in its script.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"

namespace lt {

// How many of them the script can use, including the files that it imports; the greatest number if it has mistakes.
uint32_t most_words_of_tool(const Source& script);

// An Error names a word that the tool would ignore.
Status words_fit_tool(const Command& command, const Source& script);

}  // namespace lt
