// Where a function's parameters are at its first instruction, by the calling convention (arch/arguments.h). Unoptimized
// code first copies them to its frame, and its debug information only describes these copies.
#pragma once

#include <elfutils/libdw.h>

#include <string_view>
#include <vector>

#include "runtime/border/program_scope.h"

namespace lt {

inline constexpr std::string_view only_stored = "is only described where the function stores it later";

// One for each parameter, in order: fills in steps, is_value and missing.
std::vector<ProgramVariable> arguments_at_entry(Dwarf_Die& function, const std::vector<Dwarf_Die>& parameters);

}  // namespace lt
