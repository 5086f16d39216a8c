// Makes of what the grammar found the items of a program: a probe for each place with the bodies of its aliases,
// functions that are called, first values of globals.
#pragma once

#include "base/diag.h"
#include "parser/ast.h"
#include "parser/parse.h"
#include "stp_tree.h"

namespace lt::stp {

// What lies behind the script's own text is the library's.
void link(ast::Program& program, const Tree& tree, const Source& source, const Invocation& given, Diags& diags);

}  // namespace lt::stp
