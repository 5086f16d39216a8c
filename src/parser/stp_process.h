// Probe points of one program or one process: process("PATH").begin, process(1234).function("f"),
// process.function("f"). Each becomes an alias of a point that lt has, with a condition before it.
#pragma once

#include <string>

#include "base/diag.h"
#include "parser/ast.h"
#include "parser/parse.h"
#include "stp_tree.h"

namespace lt::stp {

// Is the point one of those?
bool is_of_process(const Point& point);

// Empty points: nothing of that name is there, which is told unless the point is optional.
Alias process_alias(ast::Program& program, const Point& point, const Invocation& given, Diags& diags);

}  // namespace lt::stp
