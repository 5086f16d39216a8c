// Maps: assignments decide the type of a map, and every other use must agree.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The index of the map that an expression names. With `whole` it means the map itself, as in print(@x); otherwise the
// key is checked and merged with the key of other uses.
uint32_t map_at(CheckContext& c, ast::ExprId id, const ast::Map& node, bool whole);

// @x = value, @x += value, or @x = count(), which makes the map collect.
void assign_map(CheckContext& c, const ast::Assign& node, const ast::Map& target);

// Merges a type into the map's value type; an error if they have no common type. If `value` is a literal that fits both
// signs, it takes that of the map's other values, as do such literals in a tuple.
void merge_value(CheckContext& c, uint32_t map, const Type& type, Span where, std::optional<ast::ExprId> value = {});

// The same for part `i` of the key.
void merge_key(CheckContext& c, uint32_t map, const Type& type, size_t i, ast::ExprId part);

// The type of a value without the signs of its literals that fit both signs. Where a map or a tuple in a variable has
// only such ones, it becomes signed in check().
Type without_literal_signs(const CheckContext& c, Type type, std::optional<ast::ExprId> value);
// For MapInfo::value_signs and LocalInfo::signs.
Type signs_of(const CheckContext& c, Type type, std::optional<ast::ExprId> value);

Type type_of(CheckContext& c, ast::ExprId id, const ast::Map& node);

}  // namespace lt
