// The language's variables, and values of the session.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

// A variable that is a number.
ir::Value variable_value(Lowering& l, const VariableUse& v);
// Writes a variable that is in memory: a stack, a string.
void variable_into(Lowering& l, Variable id, const Type& type, ir::Value to);
// A value that is set when the session starts.
ir::Value session_value(Lowering& l, SessionValue what);
// The current process or thread, by its number in lt's own namespace; 0 if it does not have one there.
ir::Value renumbered(Lowering& l, bool process);
// The current process, by the number that lt uses for it.
ir::Value own_process(Lowering& l);

}  // namespace lt
