// A script that reads a recording instead of the kernel.
#pragma once

#include <string_view>

#include "base/diag.h"
#include "driver/cli/command.h"
#include "parser/tree/ast.h"
#include "recording/recording.h"

namespace lt {

// Can a run over a recording have these options?
Status suits_recording(const Command& command);
// Does the recording hold what a replay needs? An old one does not.
Status can_replay(const Recording& recording, std::string_view path);

// Reports what the script asks for that the recording does not hold: probes, fields, variables, functions. Spans of
// calls that it holds become spans of the functions that stand for them (runtime/replay/recorded_kernel.h).
// `script` is its text.
void read_from_recording(ast::Program& program, const Recording& recording, std::string_view script, Diags& diags);

}  // namespace lt
