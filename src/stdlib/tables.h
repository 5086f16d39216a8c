// The tables of functions, which builtins.cpp joins to one. Each is in the order of the ids, and the first of one
// follows the last of the table before it.
#pragma once

#include <span>

#include "stdlib/builtins.h"

namespace lt {

std::span<const FunctionRow> text_functions();     // texts, addresses, names
std::span<const FunctionRow> format_functions();   // texts by formats
std::span<const FunctionRow> kernel_functions();   // what only the kernel, or another process, knows
std::span<const FunctionRow> runtime_functions();  // what is done when a record is read, and what changes the traced

std::span<const FunctionRow> whole_functions();    // many values in one
std::span<const FunctionRow> samples_functions();  // what is asked of what was collected
std::span<const FunctionRow> type_functions();     // what is known when the program is compiled, and small ones
std::span<const FunctionRow> part_functions();     // frames of a stack, characters of a string

}  // namespace lt
