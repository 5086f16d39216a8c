// Words of the kernel's source that C in a script may use but a BPF program cannot have, with lt's replacements.
#pragma once

#include <string_view>

namespace lt {

// The replacement to type; empty: none known.
std::string_view instead_of(std::string_view word);

// Can lt write it in the language itself, if it can write the whole function so?
bool can_be_spelled(std::string_view word);

inline constexpr std::string_view no_assembly = "a BPF program has other instructions than this machine";

}  // namespace lt
