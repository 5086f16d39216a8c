// What this kernel allows, found by trying the cheapest thing that the kernel refuses only where the feature is
// missing: nothing is left attached, nothing is tried before it is asked, and nothing waits for the kernel's grace
// periods.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/kernel.h"

namespace lt {

// What the tests need to know of the kernel's functions.
struct FunctionFacts {
    std::function<uint32_t(std::string_view)> type_id;  // in the kernel's BTF; 0: none
};

Answer try_feature(Feature feature, const FunctionFacts& facts);

// Lines "name: yes" or "name: no (why)", as `lt --info` prints them. A feature without a line is missing.
Result<std::vector<Answer>> parse_features(std::string_view text);

}  // namespace lt
