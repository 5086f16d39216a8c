// Where lines and functions of source code begin, by a file's debug information (DWARF).
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/kernel.h"

namespace lt {

struct LinePlace {
    uint64_t address = 0;  // as the file itself counts
    std::string text;      // "f@b.c:12"
    std::string inlined;   // the function, where only such places are asked for
};

// By their addresses, each once. `shown` is what errors call the program. Where no instruction begins at a line that is
// asked for it is an error, which names the next line that has some.
Result<std::vector<LinePlace>> line_places(Dwarf* dwarf, const std::string& shown, const SourceQuery& query);

}  // namespace lt
