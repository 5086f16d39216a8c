// Sizes of values and types, offsets of members.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The bytes of a checked value; for an integer local, the bytes of the value assigned to it.
uint32_t width_of(CheckContext& c, ast::ExprId id);

// The sizeof() of a checked value. An integer has the size of its type, although it is stored in 8 bytes. In
// bpftrace's dialect a literal has the smallest type that holds it, and a tuple has C's layout.
uint32_t own_size(CheckContext& c, ast::ExprId id);

// sizeof(x), where x is an expression or the name of a type.
Type size_of_value(CheckContext& c, ast::ExprId id, ast::ExprId argument);

Type type_of(CheckContext& c, ast::ExprId id, const ast::SizeOf& node);
// The path may go through nested structures, but must not end at a bit field.
Type type_of(CheckContext& c, ast::ExprId id, const ast::OffsetOf& node);

}  // namespace lt
