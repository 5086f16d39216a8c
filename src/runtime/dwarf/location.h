// Where a variable is at one instruction, by the expressions in a file's debug information (DWARF).
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

#include "runtime/border/program_scope.h"

namespace lt {

// Everything needed to find variables at one instruction.
struct DwarfPoint {
    uint64_t address = 0;
    bool at_entry = false;         // is it the first instruction of the function?
    Dwarf_Die function{};          // whose frame it is: never an inlined one
    Dwarf_CFI* frames = nullptr;   // .debug_frame
    Dwarf_CFI* unwinds = nullptr;  // .eh_frame
};

// Fills in the steps of a variable, or why there are none.
void locate(Dwarf_Die& variable, const DwarfPoint& point, ProgramVariable& out);

// Does each step find its operands, and are enough numbers left? Debug information is not trusted.
bool is_sound(const std::vector<LocationStep>& steps, uint32_t words);

}  // namespace lt
