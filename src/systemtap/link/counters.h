// perf.type(1).config(2).process("PATH").counter("name"), which only defines a name, and @perf("name"), which returns
// what was counted while the current thread was on a CPU.
#pragma once

#include <string>

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {

bool names_counter(const Point& point);

// The event of such a point, in the form that counter() takes: "1/2". Empty if it has none.
std::string counted_event(const Point& point);

// Replaces each @perf() by a call of the library with the count as argument.
void place_counters(ast::Program& program, const Tree& tree, Diags& diags);

}  // namespace lt::stp
