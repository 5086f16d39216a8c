// The layout of strings in a record of the ring buffer. Short strings take their full size among the fields. A long one
// takes only as much as its content, so that records do not fill the buffer with zeros: its field is a u64, its offset
// in the record, and it ends with a zero. The long strings follow the fields, in order.
#pragma once

#include <cstdint>

#include "stdlib/types.h"

namespace lt {

constexpr uint32_t longest_in_place = 400;
inline bool lies_apart(const Type& type) { return type.kind == Kind::string && type.size > longest_in_place; }

}  // namespace lt
