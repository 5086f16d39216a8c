// Arguments of the probe's location, and variables of traced programs, using their debug information.
#pragma once

#include "codegen/lower/values/location.h"

namespace lt {

// Are the arguments fields of a tracepoint's record?
bool in_record(const Lowering& l);
ir::Value argument_value(Lowering& l, const Field& field);
// The address in an argument, or of a structure inside the structure that it points to, as provided by the trampoline:
// the verifier knows its type.
ir::Value handed_address(Lowering& l, ast::ExprId id);
// An argument of a marker (USDT). The context contains the registers at the marker.
ir::Value marker_argument(Lowering& l, const MarkerArgument& a);
// A variable of a traced program that is a number.
ir::Value program_value(Lowering& l, const ProgramVariable& variable);
// The number that results from the variable's steps, as a value of the type.
ir::Value computed_value(Lowering& l, const ProgramVariable& variable, const Type& type);
Location program_location(Lowering& l, const ProgramVariable& variable);
// Writes the record of all arguments to zeroed memory.
void all_arguments_into(Lowering& l, ast::ExprId id, ir::Value to);

}  // namespace lt
