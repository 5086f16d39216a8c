// Where the breakpoints of a kernel function go: its first instruction, or each place where it returns, from the
// kernel's symbols and its code as it lies in memory.
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
    uint64_t size = 0;   // up to the next symbol
    uint32_t count = 0;  // functions of this name
};

struct CodeSymbols {
    std::map<std::string, CodeSymbol, std::less<>> functions;  // those asked for; count 0: not found
    std::vector<uint64_t> return_thunks;
};

// One pass over the kernel's symbols.
Result<CodeSymbols> read_code_symbols(std::span<const std::string> functions);
CodeSymbols parse_code_symbols(std::istream& kallsyms, std::span<const std::string> functions);

// The addresses for breakpoints on `function`, one that was asked for.
Result<std::vector<uint64_t>> breakpoint_addresses(const CodeSymbols& symbols, const std::string& function,
                                                   bool at_return);

}  // namespace lt
