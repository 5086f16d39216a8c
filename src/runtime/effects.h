// What functions have done besides printing values: files shown, commands run.
#pragma once

#include <string>

#include "base/result.h"

namespace lt {

// The first 10 KB of a file.
Result<std::string> file_text(const std::string& path, size_t most);

// Runs a command of the shell and gives what it printed; waits for its end.
Result<std::string> command_output(const std::string& command);

}  // namespace lt
