// Floating-point numbers, C's float and double. They have a size but no kind, because programs cannot compute with
// them: they are only printed as members of a structure.
#pragma once

#include "stdlib/types.h"

namespace lt {

constexpr Type real_type(uint32_t size) { return {Kind::none, size}; }
constexpr bool is_real(const Type& type) {
    return type.kind == Kind::none && (type.size == sizeof(float) || type.size == sizeof(double));
}
// Is it left out when the structure around it is printed?
constexpr bool is_hidden(const Type& type) { return type.kind == Kind::none && !is_real(type); }

}  // namespace lt
