// Whole files: reads those of scripts, writes those of results.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// The whole contents of the file. An error for a file that is too long to be a script: a device, or the wrong file.
constexpr size_t longest_program = 16 << 20;
Result<std::string> whole_text(std::FILE* file, const std::string& name, size_t most = longest_program);

// Writes it. A file that cannot be written whole keeps what it had, and one that was not there or was empty is removed.
// That does not hold for devices, pipes, and files in folders that cannot be written.
Status write_file(const std::string& path, std::string_view bytes);

// Writes all of it, and waits while a descriptor that does not block is full. Returns 0, or the error (errno) after
// which not everything was written.
int write_all(int descriptor, std::string_view bytes);

}  // namespace lt
