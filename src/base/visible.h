// Makes foreign text safe to print. Everything that comes from the traced machine, from files and from their names goes
// through here, so that it can neither control the user's terminal nor look like a line of lt's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lt {

// The length of the UTF-8 character that begins here, 1 to 4; 0 if there is none.
size_t utf8_length(std::string_view text);

// How many columns of a terminal the text takes: East Asian characters and pictures take two, combining marks none, and
// bytes that are not UTF-8 one each.
size_t columns_in(std::string_view text);

// The text with blanks after it (at_left) or before it (at_right), so that it takes so many columns; as it is if it
// takes more.
std::string at_left(std::string_view text, size_t columns);
std::string at_right(std::string_view text, size_t columns);

// A text of at most so many characters: the end of a longer one becomes dots, or there is nothing if no more would fit.
std::string shortened(std::string_view text, size_t most, std::string_view dots = "...");

// With each byte that is not UTF-8 as \xNN.
std::string utf8_text(std::string_view bytes);

// Which control characters stay. All others that a terminal obeys (below 0x20, and 0x7f to 0x9f) become \xNN.
enum class Keep : unsigned char {
    nothing,
    tabs,
    lines,     // newlines and tabs
    colors,    // sequences that only set colors
    messages,  // newlines, tabs and colors
};
void append_visible(std::string& out, std::string_view bytes, Keep keep = Keep::nothing);
std::string visible(std::string_view bytes, Keep keep = Keep::nothing);

}  // namespace lt
