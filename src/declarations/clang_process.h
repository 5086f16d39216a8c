// Runs the compiler in its own process: text in, bitcode and messages out, without touching the file system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

struct ClangResult {
    bool fine = false;
    std::vector<uint8_t> output;
    std::string messages;
};

// An error if there is no compiler, or if it was killed.
Result<ClangResult> run_clang(std::string_view text);

}  // namespace lt
