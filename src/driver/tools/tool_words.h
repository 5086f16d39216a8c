// The words of a tool's command line: $1, $2 ... in its script.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"

namespace lt {

struct ToolWords {
    uint32_t most = 0;   // how many of them the script can use
    uint32_t probe = 0;  // the number of the word that is a whole probe, as in `$1 { ... }`; 0: there is none
};

// Includes the files that the script imports. Of one with mistakes it is not known: `most` is the greatest number then.
ToolWords words_of_tool(const Source& script);

// An Error names a word that the tool would ignore, or says that the tool needs a probe.
Status words_fit_tool(const Command& command, const Source& script);

}  // namespace lt
