// A type of C as raw text, as it stands in a cast: which words make one for sure, and what it names.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/ast.h"

namespace lt {

// Is this text, the inside of parentheses, a type whatever follows them? "unsigned long", "uint8", "size_t"; not "pid".
bool is_surely_type(std::string_view text);

// Is it a name of the language that has a value?
bool is_value_name(std::string_view name);

// The parts of a type that stands at the offset: words, stars, a count in brackets.
ast::TypeName split_type(std::string_view text, uint32_t offset);

}  // namespace lt
