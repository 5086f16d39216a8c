// Sizes of strings that are built from others.
#pragma once

#include <initializer_list>
#include <string_view>

#include "codegen/check/context.h"

namespace lt {

// The maximum number of characters of a checked string.
uint32_t letters(const CheckContext& c, ast::ExprId id);

// The hint where one is a string and the other a name that lt looks up when it prints; empty for other types.
std::string_view hint_of_names(const Type& a, const Type& b);

// The type of a string of up to `bytes` bytes that is built from these parts. If strings grow, one that is built from
// a variable or a map gets the maximum size, since it may get longer each time, as in $s = $s + "x"; it always has room
// for each of its parts.
Type string_made_of(const CheckContext& c, std::initializer_list<ast::ExprId> parts, uint32_t bytes);

}  // namespace lt
