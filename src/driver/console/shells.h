// Files for other programs, made of lt's tables: completion for shells, colors for editors.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// For bash, zsh, fish, vim or vscode; an error names these. `command` is lt or lt-run.
Result<std::string> file_for(std::string_view program, std::string_view command = "lt");

}  // namespace lt
