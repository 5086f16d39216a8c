// Saved plans: which options make sense when one is run, and where one lies in a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

// An Error names the first option that makes no sense for a saved plan.
Status suits_saved(const Command& command, const SavedPlan& saved);

constexpr size_t longest_plan = size_t{1} << 30;  // a program with a plan at its end counts, too

bool is_saving(const Command& command);  // are --save or --aot given?

// The program with the plan at its end, in place of the one that it may have.
std::string with_plan_at_end(std::string program, std::string_view plan);
// The plan at the end of a file that --aot wrote; for other files the whole contents.
std::string_view plan_within(std::string_view bytes);
// The plan at the end of the running binary; empty: there is none.
Result<std::string> own_plan();

// The probes of a plan, in the form of -l.
std::vector<std::string> saved_places(const Plan& plan);

// The plan in a file that was read as a script's text.
Result<SavedPlan> read_plan(const Source& file);

}  // namespace lt
