// Numbers of floating point, C's float and double: of no kind, since no program can compute with them, but with a size,
// so that they can be shown with the structure in which they lie.
#pragma once

#include "stdlib/types.h"

namespace lt {

constexpr Type real_type(uint32_t size) { return {Kind::none, size}; }
constexpr bool is_real(const Type& type) {
    return type.kind == Kind::none && (type.size == sizeof(float) || type.size == sizeof(double));
}
// Is it left out where the structure around it is shown?
constexpr bool is_hidden(const Type& type) { return type.kind == Kind::none && !is_real(type); }

}  // namespace lt
