// Maps: assignments decide the type of a map, and every other use must agree.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The index of the map that an expression names. With `whole` it means the map itself, as in print(@x); otherwise the
// key is checked and merged with the key of other uses.
uint32_t map_at(CheckContext& c, ast::ExprId id, const ast::Map& node, bool whole);

// @x = value, @x += value, or @x = count(), which makes the map collect.
void assign_map(CheckContext& c, const ast::Assign& node, const ast::Map& target);

// A literal that fits both signs: it takes that of the map's other values.
bool fits_both_signs(const CheckContext& c, ast::ExprId id);

// Merges a type into the map's value type; an error if they have no common type. `is_literal`: fits_both_signs().
void merge_value(CheckContext& c, uint32_t map, const Type& type, Span where, bool is_literal = false);

// The same for part `i` of the key.
void merge_key(CheckContext& c, uint32_t map, const Type& type, size_t i, Span where, bool is_literal);

Type type_of(CheckContext& c, ast::ExprId id, const ast::Map& node);

}  // namespace lt
