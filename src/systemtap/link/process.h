// Probe points of one program or one process: process("PATH").begin, process(1234).function("f"),
// process.function("f"). Each becomes an alias of a point that lt has, with a condition in front.
#pragma once

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {

// Is the point one of those?
bool is_of_process(const Point& point);

// Without points: it was not found, which is reported unless the point is optional.
Alias process_alias(ast::Program& program, const Point& point, const Invocation& given, Diags& diags);

}  // namespace lt::stp
