// Macros of a script that are arithmetic on whole numbers, as `#define TIMEOUT (5 * 1000 * 1000 * 1000)`.
#pragma once

#include "declarations/read.h"

namespace lt {

// The values of macros without parameters whose text consists of integers, operators, parentheses and other such
// macros. They are computed in 64 bits, as in the script, where C would compute most of them in 32. Those that the
// script defines again, or only under a condition, are left to C, and so is what has no value.
std::map<std::string, MacroNumber, std::less<>> arithmetic_macros(const ast::Program& program);

}  // namespace lt
