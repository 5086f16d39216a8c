// Sizes of strings that are built from others.
#pragma once

#include <initializer_list>
#include <string_view>

#include "codegen/check/context.h"

namespace lt {

// The maximum number of characters of a checked string.
uint32_t letters(const CheckContext& c, ast::ExprId id);

// Is it a number whose name lt looks up when it prints?
bool has_looked_up_name(const Type& t);

// The hint where one of two that must be alike is such a name, and the other a string, a number or another name; empty
// for other types.
std::string_view hint_of_names(const Type& a, const Type& b);

// The type of a string of up to `bytes` bytes that is built from these parts. If strings grow, one that is built from
// a variable or a map gets the maximum size, since it may get longer each time, as in $s = $s + "x"; it always has room
// for each of its parts.
Type string_made_of(const CheckContext& c, std::initializer_list<ast::ExprId> parts, uint32_t bytes);

}  // namespace lt
