// The reserved words of the language, for tools that color or complete scripts.
#pragma once

#include <string_view>
#include <vector>

namespace lt {

std::vector<std::string_view> keywords();  // sorted, each once

}  // namespace lt
