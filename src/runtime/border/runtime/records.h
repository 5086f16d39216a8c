// Where strings lie in a record of the ring buffer. Short ones have their whole room among the fields. A long one is as
// long as its content, so that records do not fill the buffer with zeros: its field is a u64, where in the record it
// begins; it ends with a zero. The long strings follow the fields, in their order.
#pragma once

#include <cstdint>

#include "stdlib/types.h"

namespace lt {

constexpr uint32_t longest_in_place = 400;
inline bool lies_apart(const Type& type) { return type.kind == Kind::string && type.size > longest_in_place; }

}  // namespace lt
