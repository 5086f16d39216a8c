// Where to place the breakpoints of a kernel function: at its first instruction or at each of its returns, found from
// the kernel's symbols and its code in memory.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace lt {

struct CodeSymbol {
    uint64_t address = 0;
    uint64_t size = 0;   // bytes up to the next symbol
    uint32_t count = 0;  // number of functions with this name
};

struct CodeSymbols {
    std::map<std::string, CodeSymbol, std::less<>> functions;  // the requested ones; count 0: not found
    std::vector<uint64_t> return_thunks;
};

// Reads the kernel's symbols once.
Result<CodeSymbols> read_code_symbols(std::span<const std::string> functions);
CodeSymbols parse_code_symbols(std::istream& kallsyms, std::span<const std::string> functions);

// The addresses for breakpoints on `function`, which was requested from read_code_symbols().
Result<std::vector<uint64_t>> breakpoint_addresses(const CodeSymbols& symbols, const std::string& function,
                                                   bool at_return);

}  // namespace lt
