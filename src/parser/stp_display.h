// Globals that a program writes and never reads are printed when it ends: that is what such a program is for.
#pragma once

#include <functional>

#include "parser/ast.h"
#include "stp_names.h"
#include "stp_tree.h"

namespace lt::stp {

// The statements that print them, with names that mean nothing yet; empty where there are none. `is_own`: is this the
// script's?
ast::Block display_unread(ast::Program& program, const Tree& tree, const Globals& globals,
                          const std::function<bool(Span)>& is_own);

}  // namespace lt::stp
