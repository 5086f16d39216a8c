// Breaks lines of prose at blanks, for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lt {

// Each line has at most `width` columns, unless a word is longer; the lines that are added begin with `indent`
// blanks. Width 0: the line as it is. Without a newline at the end.
std::string wrapped(std::string_view line, size_t width, size_t indent);

// The same for each line of a text, where a line that is added begins below the last column of its line (what follows
// two blanks or more), or else below its first character.
std::string wrapped_text(std::string_view text, size_t width);

}  // namespace lt
