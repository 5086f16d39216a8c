// Patterns of text as machines that take one step a byte, whatever the text: what a program in the kernel can do. A
// pattern is made into a nondeterministic automaton (Thompson, 1968), that into a deterministic one by sets of its
// states.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// A state is a number below `states`: the machine begins in matcher_begin; once it is in matcher_no or matcher_yes it
// stays there. The zero byte, or the end of a string that fills its room, ends the text.
//   next state = table[256 + state * width + table[byte]]
struct Matcher {
    uint32_t states = 0;         // up to 256
    uint32_t width = 0;          // bytes that no state tells apart are one class; so many classes
    std::vector<uint8_t> table;  // the classes of the 256 bytes, then the next states
};
constexpr uint8_t matcher_no = 0, matcher_yes = 1, matcher_begin = 2;

// POSIX extended regular expressions, found anywhere in a text unless ^ and $ say where; bytes, not letters. Groups are
// for precedence only. The error names what is wrong with the pattern.
Result<Matcher> regex_matcher(std::string_view pattern);

// Patterns of file names for the whole text: * ? [a-z] [!a-z], and \ before a character that stands for itself.
Result<Matcher> glob_matcher(std::string_view pattern);

// As the program in the kernel does it.
bool matches(const Matcher& matcher, std::string_view text);

}  // namespace lt
