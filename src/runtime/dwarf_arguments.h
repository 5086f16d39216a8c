// Where a function's parameters are at its first instruction, by the calling convention of x86-64 (System V). Code that
// is not optimized copies them to its frame first, and its debug information describes only these copies.
#pragma once

#include <elfutils/libdw.h>

#include <vector>

#include "runtime/program_scope.h"

namespace lt {

// One for each parameter, in their order: steps, is_value and missing are filled in.
std::vector<ProgramVariable> arguments_at_entry(Dwarf_Die& function, const std::vector<Dwarf_Die>& parameters);

}  // namespace lt
