// Fields of tracepoints that programs read from the tracepoint's arguments.
#pragma once

#include "codegen/lower/values/location.h"

namespace lt {

// Does the verifier know the type of the structure that the value is a member of? Such a member is loaded directly. The
// source is in memory.
bool has_known_type(const Lowering& l, const FieldSource& source);
// Where a value in memory is, from the tracepoint's argument or the current task on.
Location source_location(Lowering& l, const FieldSource& source, ast::ExprId id);
// The number of a field that is not in memory: an argument, or what the kernel makes of one or of a member.
ir::Value source_value(Lowering& l, ast::ExprId id, const FieldSource& source);

}  // namespace lt
