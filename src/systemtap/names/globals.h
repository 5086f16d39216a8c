// How all uses of a script's globals treat them: as arrays, for statistics, written or read.
#pragma once

#include "systemtap/names/scope.h"

namespace lt::stp {

// Renames locals of library functions if the script has a global of the same name.
void keep_apart(ast::Program& program, Tree& tree, const Source& source);

void find_uses(const ast::Program& program, Globals& globals);

}  // namespace lt::stp
