// Finds the part of a file's debug information (DWARF, read by libdw) that describes an address.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lt {

// The compilation unit around an address.
bool find_unit(Dwarf* dwarf, uint64_t address, Dwarf_Die& unit);

// The unit after `at`, which is null for the first one. If its description is in a file of its own, `whole` is that one
// and `here` the rest.
bool next_unit(Dwarf* dwarf, Dwarf_CU*& at, Dwarf_Die& here, Dwarf_Die& whole);

// Calls `visit` with each unit of a file until it returns true.
void each_unit(Dwarf* dwarf, const std::function<bool(Dwarf_Die&)>& visit);

// The nested blocks and functions around an address, innermost first; the unit comes last.
std::vector<Dwarf_Die> scopes_around(Dwarf_Die& unit, uint64_t address);

// Calls `visit` with each child until it returns true.
void each_child(Dwarf_Die& parent, const std::function<bool(Dwarf_Die&)>& visit);

// Is it a scope that can hold functions but has no addresses of its own, as a namespace or a class?
bool holds_functions(Dwarf_Die& die);

// The namespaces, classes and functions around a description, outermost first: "app::Table::"; of one that completes a
// declaration elsewhere, those around that.
std::string scope_of(Dwarf_Die& die);

// The source language of the unit around it (DW_LANG_...); -1 if unknown.
int language_of(Dwarf_Die& die);

// The first instruction of a function, or of an inlined copy; 0 if it has none.
uint64_t entry_of(Dwarf_Die& function);

std::string name_of(Dwarf_Die& die);  // not demangled; may be empty

// The value of an attribute, of the die itself or of the one it is an instance of.
bool attribute(Dwarf_Die& die, unsigned name, Dwarf_Attribute& out);
bool flag(Dwarf_Die& die, unsigned name);
// `otherwise` if there is no such attribute, or if it is not a number.
int64_t number_of(Dwarf_Die& die, unsigned name, int64_t otherwise);
// The type of a declaration (DW_AT_type).
bool type_of(Dwarf_Die& die, Dwarf_Die& type);
// The same without typedefs and qualifiers.
bool bare_type(Dwarf_Die& die, Dwarf_Die& type);

// Of a bit field: bits after the start of the structure; -1 if it is not a bit field, or a damaged one. `size` is that
// of its type in bytes.
int64_t first_bit(Dwarf_Die& member, int64_t size);

// The source file with the declaration; empty if unknown.
std::string declaring_file(Dwarf_Die& die);

// Is `end` the path, or its last components?
bool is_end_of_path(std::string_view path, std::string_view end);

}  // namespace lt
