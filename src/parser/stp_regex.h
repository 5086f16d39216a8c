// Regular expressions that are few texts, each whole, at the begin, at the end or anywhere: they become comparisons.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt::stp {

// One way to match: the parts in this order, anything between them.
struct RegexWay {
    std::vector<std::string> parts;  // one or two
    bool at_begin = false;
    bool at_end = false;
};

// All ways of an expression: alternatives, groups, classes and `?` are written out. An error names what cannot be.
Result<std::vector<RegexWay>> regex_ways(std::string_view pattern);

}  // namespace lt::stp
