// The tables of functions, which builtins.cpp concatenates. Each is in the order of the ids, and starts with the id
// after the last one of the table before it.
#pragma once

#include <span>

#include "stdlib/functions/builtins.h"

namespace lt {

// Types of results.
inline constexpr Type truth_value = truth_type();
inline constexpr Type u32 = integer_type(4, false);
inline constexpr Type u64 = integer_type(8, false);

std::span<const FunctionRow> text_functions();     // texts, addresses, names
std::span<const FunctionRow> format_functions();   // texts by formats
std::span<const FunctionRow> kernel_functions();   // known only to the kernel or to another process
std::span<const FunctionRow> runtime_functions();  // actions when a record is read, and actions on what is traced

std::span<const FunctionRow> whole_functions();    // many values in one
std::span<const FunctionRow> samples_functions();  // queries about collected values
std::span<const FunctionRow> type_functions();     // known at compile time, and small ones
std::span<const FunctionRow> part_functions();     // frames of a stack, characters of a string

}  // namespace lt
