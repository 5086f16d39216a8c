// Text patterns as automata that take one step for each byte, whatever the text; a BPF program can run these. A pattern
// becomes a nondeterministic automaton (Thompson, 1968), which becomes a deterministic one by the subset construction.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// A state is a number below `states`. The automaton starts in matcher_begin; once in matcher_no or matcher_yes it stays
// there. The text ends at the zero byte, or where a string fills its room.
//   next state = table[256 + state * width + table[byte]]
struct Matcher {
    uint32_t states = 0;         // up to 256
    uint32_t width = 0;          // number of byte classes: bytes that no state distinguishes share one
    std::vector<uint8_t> table;  // the classes of the 256 bytes, then the next states
};
constexpr uint8_t matcher_no = 0, matcher_yes = 1, matcher_begin = 2;

// POSIX extended regular expressions, which match anywhere in a text unless anchored with ^ and $. They match bytes,
// not characters. Groups are for precedence only. The error says what is wrong with the pattern.
Result<Matcher> regex_matcher(std::string_view pattern);

// File name patterns (globs), which match the whole text: * ? [a-z] [!a-z], and \ before a character that stands for
// itself.
Result<Matcher> glob_matcher(std::string_view pattern);

// Matches as the BPF program does.
bool matches(const Matcher& matcher, std::string_view text);

}  // namespace lt
