// Keys of maps, and their values.
#pragma once

#include <functional>

#include "codegen/lower/context.h"

namespace lt {

// Does the map have a single value and no key?
bool is_scalar(const PlannedMap& map);
// The address of the key that the expression names.
ir::Value key_of(Lowering& l, uint32_t map, const ast::Map& node);
// The value of a key, for reading only: an address, or null.
ir::Value find_value(Lowering& l, uint32_t map, ir::Value key);
// 1 if the map has the key; for a scalar, if it was set.
ir::Value is_set(Lowering& l, ast::ExprId id);
// Runs `use_generation` with the generation of the map into which programs now collect.
void with_generation(Builder& b, Unit& unit, uint32_t map, const std::function<void(ir::Value)>& use_generation);
// Runs `use_slot` with the address of the value, creating it if necessary. Marks a scalar as set. `key`: of key_of(),
// which has room for the generation after it.
void with_slot(Lowering& l, uint32_t map, ir::Value key, Span where, const std::function<void(ir::Value)>& use_slot);
// Sets the key to what `value` gives: an integer, or the address of a value in the map's layout.
void store_value(Lowering& l, uint32_t map, ir::Value key, const std::function<ir::Value()>& value, Span where);
// Records in a value when its key first appeared, if the map stores that time and it is not set yet.
void note_arrival(Builder& b, const PlannedMap& map, ir::Value slot);

}  // namespace lt
