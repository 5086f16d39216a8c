// A C type as raw text in a cast: which words can only be a type, and what the type is.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/tree/ast.h"

namespace lt {

// Is this text, from inside parentheses, a type in every context? "unsigned long", "uint8", "size_t"; not "pid".
bool is_surely_type(std::string_view text);

// Is it a name in the language that has a value?
bool is_value_name(std::string_view name);

// The parts of a type that begins at the offset: words, stars, a count in brackets.
ast::TypeName split_type(std::string_view text, uint32_t offset);

}  // namespace lt
