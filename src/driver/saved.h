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

bool is_saving(const Command& command);  // --save or --aot

// To where --save and --aot say: a file, or for --save one in that folder. That of --aot is lt itself with the plan at
// its end.
Status write_plan(const Command& command, const SavedPlan& saved);
// The plan at the end of a file that --aot wrote; of others all of it.
std::string_view plan_within(std::string_view bytes);
// The plan at the end of the program that runs here; empty: it is lt alone.
Result<std::string> own_plan();
// A file that cannot be written whole is not left.
Status write_file(const std::string& path, std::string_view bytes);

// What a plan attaches, as -l tells it.
std::vector<std::string> saved_places(const Plan& plan);

// The plan in a file that was read as a program's text.
Result<SavedPlan> read_plan(const Source& file);

}  // namespace lt
