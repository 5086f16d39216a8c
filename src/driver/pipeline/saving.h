// Writes plans to files, and says which options make sense then.
#pragma once

#include "base/result.h"
#include "driver/cli/command.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

// An Error names the first option that makes no sense when a plan is saved.
Status suits_saving(const Command& command);

// Writes to the path of --save or --aot: a file or, for --save, a new file in that folder. For --aot the file is lt-run
// with the plan at its end.
Status write_plan(const Command& command, const SavedPlan& saved);

}  // namespace lt
