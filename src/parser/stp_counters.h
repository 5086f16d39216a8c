// perf.type(1).config(2).process("PATH").counter("name"), which is no place but a name, and @perf("name"), which asks
// for what was counted while the thread that runs was on a CPU.
#pragma once

#include <string>

#include "base/diag.h"
#include "parser/ast.h"
#include "stp_tree.h"

namespace lt::stp {

bool names_counter(const Point& point);

// The event of such a point, as counter() of lt knows it: "1/2". Empty: it has none.
std::string counted_event(const Point& point);

// Each @perf() becomes a call of the library with the count in it.
void place_counters(ast::Program& program, const Tree& tree, Diags& diags);

}  // namespace lt::stp
