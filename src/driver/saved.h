// Plans in files: which options have a meaning when one is saved or run, and how the file is written and read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "command.h"
#include "runtime/saved_plan.h"

namespace lt {

// An Error names the first option that has no meaning there.
Status suits_saving(const Command& command);
Status suits_saved(const Command& command, const SavedPlan& saved);

// Where the plan of this script goes: the file that --save names, or one in that folder.
std::string plan_path(const Command& command, const Source& source);
Status write_plan(const std::string& path, const SavedPlan& saved);
// A file that cannot be written whole is not left.
Status write_file(const std::string& path, std::string_view bytes);

// What a plan attaches, as -l tells it.
std::vector<std::string> saved_places(const Plan& plan);

// The plan in a file that was read as a program's text.
Result<SavedPlan> read_plan(const Source& file);

}  // namespace lt
