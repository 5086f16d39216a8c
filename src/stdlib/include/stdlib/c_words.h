// Words of the kernel's source that C in a script may use and that a program of BPF cannot have, with what lt has
// instead.
#pragma once

#include <string_view>

namespace lt {

// What to type instead; empty: nothing is known of this word.
std::string_view instead_of(std::string_view word);

// Is it one of those that lt writes in the language itself, where it can say the whole function so?
bool can_be_spelled(std::string_view word);

inline constexpr std::string_view no_assembly = "a program of BPF has other instructions than this machine";

}  // namespace lt
