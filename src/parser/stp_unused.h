// Takes out of an alias what the probe that uses it does not ask for: aliases give values to many names, and most
// probes want one or two of them.
#pragma once

#include "parser/ast.h"

namespace lt::stp {

// `first`: how many statements at the begin of the body are those of aliases.
void drop_unused(ast::Program& program, ast::Block& body, size_t first);

}  // namespace lt::stp
