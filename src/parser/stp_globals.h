// How the globals of a program are used: as arrays, for statistics, written or read, wherever they are named.
#pragma once

#include "stp_names.h"

namespace lt::stp {

// Gives locals of the library's functions other names where the program has a global of the same one.
void keep_apart(ast::Program& program, Tree& tree, const Source& source);

void find_uses(const ast::Program& program, Globals& globals);

}  // namespace lt::stp
