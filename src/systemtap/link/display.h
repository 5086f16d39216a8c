// Prints the globals that a script writes and never reads when it ends, as SystemTap does.
#pragma once

#include <functional>

#include "parser/tree/ast.h"
#include "systemtap/grammar/tree.h"
#include "systemtap/names/scope.h"

namespace lt::stp {

// The statements that print them, with unresolved names; empty if there are none. `is_own`: is this place in the script
// itself?
ast::Block display_unread(ast::Program& program, const Tree& tree, const Globals& globals,
                          const std::function<bool(Span)>& is_own);

}  // namespace lt::stp
