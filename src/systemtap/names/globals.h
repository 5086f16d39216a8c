// How all uses of a script's globals treat them: as arrays, for statistics, written or read.
#pragma once

#include "systemtap/names/scope.h"

namespace lt::stp {

// Renames locals of library functions if the script has a global of the same name.
void keep_apart(ast::Program& program, Tree& tree, const Source& source);

void find_uses(const ast::Program& program, Globals& globals);

// Names that the script compares with a text, joins to one or prints as one.
std::set<std::string> text_names(const ast::Program& program, const FunctionTable& functions, const Source& source);

}  // namespace lt::stp
