// Text of the .lt language to a tree.
#pragma once

#include "base/diag.h"
#include "base/source.h"
#include "parser/ast.h"

namespace lt {

// Always returns a tree of what could be understood; mistakes are in `diags`.
ast::Program parse(const Source& source, Diags& diags);

}  // namespace lt
