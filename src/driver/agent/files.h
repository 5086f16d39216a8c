// The scripts and saved plans that the command line names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "driver/cli/command.h"
#include "runtime/plan/saved_plan.h"

namespace lt::agent {

// The files themselves, whether they are there or not, and of each folder those that are named like scripts or plans,
// in alphabetical order.
Result<std::vector<std::string>> script_files(std::span<const std::string> words);

struct ReadFile {
    Source source;
    std::optional<SavedPlan> saved;
    std::string bytes;  // as they are in the file
};
Result<ReadFile> read_file(const std::string& path, const Command& command);

}  // namespace lt::agent
