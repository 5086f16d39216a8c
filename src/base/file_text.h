// Reads script files.
#pragma once

#include <cstdio>
#include <string>

#include "base/result.h"

namespace lt {

// The whole contents of the file. An error for a file that is too long to be a script: a device, or the wrong file.
constexpr size_t longest_program = 16 << 20;
Result<std::string> whole_text(std::FILE* file, const std::string& name, size_t most = longest_program);

}  // namespace lt
