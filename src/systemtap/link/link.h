// Turns the result of the grammar into items of a program: a probe for each place with the bodies of its aliases, the
// functions that are called, initial values of globals.
#pragma once

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {

// The text after the script's own belongs to the library.
void link(ast::Program& program, const Tree& tree, const Source& source, const Invocation& given, Diags& diags);

}  // namespace lt::stp
