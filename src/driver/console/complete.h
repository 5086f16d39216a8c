// Completion in the console: commands and their arguments, kinds of probe, locations in this kernel and in programs,
// fields, functions with their parentheses, variables, maps, files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/console/editor.h"

namespace lt {

class Console;

Completion complete(Console& console, std::string_view text);  // `text` is the text before the cursor

// Words in columns, as ls(1) prints names. If there are too many, prints the first ones and how many more there are.
std::string in_columns(std::vector<std::string> words, size_t width);

}  // namespace lt
