// Keys of maps, from the text that they are in JSON.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

// The type of a part of a key that JSON writes in this form: "integer", "unsigned", "duration", "stack" or "text".
std::optional<Type> key_part_type(std::string_view form);

// None if it has another number of parts, or a number is none.
std::optional<std::vector<Value>> key_of_text(std::string_view text, const std::vector<Type>& parts);

// A stack from the lines that stack_rows() makes. Only for printing: its id is a hash.
Stack stack_of_text(std::string_view text);

}  // namespace lt
