// Replaces chains by what they mean: actions, spans and maps. A request that is open is an entry of a map, by its key;
// each event of the chain looks it up, checks that it is the next one, and stores the time.
#pragma once

#include "base/diag.h"
#include "parser/tree/ast.h"

namespace lt {

void expand_chains(ast::Program& program, Diags& diags);

}  // namespace lt
