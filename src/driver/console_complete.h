// What a word in the console could become: commands and their arguments, kinds of probe and the places that this kernel
// and these programs have, fields, functions with their brackets, variables, maps, files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "console_editor.h"

namespace lt {

class Console;

Completion complete(Console& console, std::string_view text);  // of the text before the cursor

// Several in a line, as ls(1) prints names; of very many the first ones, and how many more there are.
std::string in_columns(std::vector<std::string> words, size_t width);

}  // namespace lt
