// Parameters in the text of probes, as in `interval:$every`.
#pragma once

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"

namespace lt {

// Puts the values in their places, and removes the intervals whose period is 0. Such a parameter is a constant from
// here on, and an option like those of getopt(): it cannot be set while the program runs.
void place_params(ast::Program& program, const Invocation& given, Diags& diags);

}  // namespace lt
