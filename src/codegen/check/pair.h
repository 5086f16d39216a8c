// The pair of a loop over a map: $pair.0 is the key, $pair.0.1 a part of it, $pair.1 the value.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The type of $pair.0, $pair.0.1 or $pair.1; no value if it is a member of something else.
std::optional<Type> pair_member(CheckContext& c, ast::ExprId id, const ast::Member& node);

// Key and value as a tuple; an error if the map collects something that cannot be read as a value.
Type whole_pair(CheckContext& c, ast::ExprId id, uint32_t local);

// Gives a map that has no key elsewhere, and so never an entry, a key of this many integers. Only in the rounds that
// assume numbers where no type is known.
void assume_key(CheckContext& c, MapInfo& info, size_t parts);

}  // namespace lt
