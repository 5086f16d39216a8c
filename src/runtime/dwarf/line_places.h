// Where source lines and functions begin, from a file's debug information (DWARF).
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/border/kernel.h"

namespace lt {

struct LinePlace {
    uint64_t address = 0;  // as in the file
    std::string text;      // "f@b.c:12"
    std::string inlined;   // the function, if only its inlined copies were requested
};

// Sorted by address, without duplicates. `shown` is the program's name in errors. If no instruction begins at a
// requested line, returns an error that names the next line that has some.
Result<std::vector<LinePlace>> line_places(Dwarf* dwarf, const std::string& shown, const SourceQuery& query);

}  // namespace lt
