// Where in a file's debug information (DWARF, read by libdw) an address is described.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lt {

// The unit of compilation around an address.
bool find_unit(Dwarf* dwarf, uint64_t address, Dwarf_Die& unit);

// Calls with each unit of a file until `visit` has seen enough.
void each_unit(Dwarf* dwarf, const std::function<bool(Dwarf_Die&)>& visit);

// The blocks and functions around an address, innermost first, as they lie in each other there; the unit comes last.
std::vector<Dwarf_Die> scopes_around(Dwarf_Die& unit, uint64_t address);

// Calls with each child until `visit` has seen enough.
void each_child(Dwarf_Die& parent, const std::function<bool(Dwarf_Die&)>& visit);

// The first instruction of a function, or of a place where one is inlined; 0 where it has none.
uint64_t entry_of(Dwarf_Die& function);

std::string name_of(Dwarf_Die& die);  // plain; may be empty

// What an attribute says, of the die itself or of what it is an instance of.
bool attribute(Dwarf_Die& die, unsigned name, Dwarf_Attribute& out);
bool flag(Dwarf_Die& die, unsigned name);
// `otherwise` where there is none, or where it is no number.
int64_t number_of(Dwarf_Die& die, unsigned name, int64_t otherwise);
// Of a type by which something is declared (DW_AT_type).
bool type_of(Dwarf_Die& die, Dwarf_Die& type);
// The same without its typedefs and qualifiers.
bool bare_type(Dwarf_Die& die, Dwarf_Die& type);

// Of the source file in which something is declared; empty where that is not told.
std::string declaring_file(Dwarf_Die& die);

// Is `end` the path, or its last parts?
bool is_end_of_path(std::string_view path, std::string_view end);

}  // namespace lt
