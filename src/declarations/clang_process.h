// The compiler as a process of its own: text in, bitcode out, messages beside it; nothing of it touches the file
// system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

struct Compiled {
    bool fine = false;
    std::vector<uint8_t> output;
    std::string messages;
};

// An error where there is no compiler, or it did not end by itself.
Result<Compiled> run_clang(std::string_view text);

}  // namespace lt
