// Plans in files: which options make sense when one is saved or run, and how the file is written and read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

// An Error names the first option that makes no sense there.
Status suits_saving(const Command& command);
Status suits_saved(const Command& command, const SavedPlan& saved);

bool is_saving(const Command& command);  // are --save or --aot given?

// Writes to the path of --save or --aot: a file or, for --save, a new file in that folder. For --aot the file is lt
// itself with the plan at its end.
Status write_plan(const Command& command, const SavedPlan& saved);
// The plan at the end of a file that --aot wrote; for other files the whole contents.
std::string_view plan_within(std::string_view bytes);
// The plan at the end of the running binary; empty: it is plain lt.
Result<std::string> own_plan();
// Removes the file if it cannot be written whole.
Status write_file(const std::string& path, std::string_view bytes);

// The probes of a plan, in the form of -l.
std::vector<std::string> saved_places(const Plan& plan);

// The plan in a file that was read as a script's text.
Result<SavedPlan> read_plan(const Source& file);

}  // namespace lt
