// Finds out what this kernel supports by trying the cheapest operation that only a missing feature makes it refuse.
// Nothing stays attached, each test runs only when its answer is requested, and no test waits for an RCU grace period.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/border/kernel.h"

namespace lt {

// Facts about the kernel's functions that the tests need.
struct FunctionFacts {
    std::function<uint32_t(std::string_view)> type_id;  // in the kernel's BTF; 0: none
};

Answer try_feature(Feature feature, const FunctionFacts& facts);

// Lines "name: yes" or "name: no (why)", as `lt --info` prints them. A feature without a line is not supported.
Result<std::vector<Answer>> parse_features(std::string_view text);

}  // namespace lt
