// Where a line of source code begins, by a file's debug information (DWARF).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// Addresses as the file itself counts, sorted. `shown` is what errors call the program. `file` is a path or its end:
// "b.c" is "/a/b.c". Where no instruction begins at the line it is an error, which names the next line that has some.
Result<std::vector<uint64_t>> addresses_of_line(const std::string& path, const std::string& shown,
                                                std::string_view file, uint32_t line);

}  // namespace lt
