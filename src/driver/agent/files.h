// The scripts and saved plans that the command line names.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/cli/command.h"
#include "driver/pipeline/job.h"

namespace lt::agent {

// The files themselves, and of each folder those that are named like scripts or plans, in alphabetical order.
Result<std::vector<std::string>> script_files(std::span<const std::string> words);

struct ReadFile {
    Input input;
    std::string bytes;  // as they are in the file
};
Result<ReadFile> read_file(const std::string& path, const Command& command);

}  // namespace lt::agent
