// The declarations of a SystemTap script as text, in their order and in the form of a dump of the tree.
#pragma once

#include <string>

#include "parser/tree/ast.h"
#include "systemtap/grammar/tree.h"

namespace lt::stp {

std::string dump(const ast::Program& program, const Tree& tree);

}  // namespace lt::stp
