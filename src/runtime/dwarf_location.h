// Where a variable lies at one instruction, by the expressions of a file's debug information (DWARF), on x86-64.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/program_scope.h"

namespace lt {

// How variables are found at one instruction.
struct DwarfPoint {
    uint64_t address = 0;
    bool at_entry = false;         // is it the first instruction of the function?
    Dwarf_Die function{};          // whose frame it is: no inlined one
    Dwarf_CFI* frames = nullptr;   // .debug_frame
    Dwarf_CFI* unwinds = nullptr;  // .eh_frame
};

// In struct pt_regs, of a register by its number in DWARF; -1 where a program is not shown it.
int64_t saved_offset(unsigned number);

// Fills in the steps of a variable, or why there are none.
void locate(Dwarf_Die& variable, const DwarfPoint& point, ProgramVariable& out);

}  // namespace lt
