// Copies of parts of a program's tree: one body of SystemTap can become several probes, in each of which its names mean
// something else.
#pragma once

#include "parser/rewrite.h"

namespace lt::stp {

// Leaves only what the program's items lead to.
void compact(ast::Program& program);

}  // namespace lt::stp
