// Maps that a form of the language uses, such as a chain.
#pragma once

#include <string>
#include <string_view>

#include "runtime/border/plan.h"

namespace lt {

// After a dot, which no script can write, its name has one of the words of parser/chain/names.h. It is neither printed
// nor listed. (In SystemTap's scripts, a global of statistics is several maps, such as `@calls.count`; those are the
// script's.)
inline bool is_internal(const PlannedMap& map) {
    const size_t dot = map.name.find('.');
    if (dot == std::string::npos) return false;
    const std::string_view word = std::string_view(map.name).substr(dot + 1);
    return word == "open" || word.starts_with("last") || word.starts_with("in") || word.starts_with("kept");
}

}  // namespace lt
