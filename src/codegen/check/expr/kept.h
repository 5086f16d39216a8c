#pragma once

#include "codegen/check/context.h"

namespace lt {

constexpr uint32_t most_copied = 4096;  // bytes of a value that is stored or printed

// The type of a value as maps, locals, tuples and records store it: integers in 8 bytes, structures as a whole. The
// addresses in a copy of a program's structure are in user memory. An error if the value is too large to copy.
Type kept_type(CheckContext& c, ast::ExprId id, Type type);

// The whole layout of a structure or an array, as a copy of it has it.
Type copied_layout(CheckContext& c, Type type);

// Checks a value that is stored, and returns the type as stored.
Type check_kept(CheckContext& c, ast::ExprId id);

// The same for a part of a key: an error for the record of `why`, which is different for nearly every span.
Type check_key_part(CheckContext& c, ast::ExprId id);

// Checks a value that is printed: its type gets the layout that the printer needs, and keeps the size of the value.
void check_shown(CheckContext& c, ast::ExprId id);

}  // namespace lt
