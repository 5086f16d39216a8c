// Shortens the statements of aliases in a probe's body: they assign many names, and most probes use one or two.
#pragma once

#include "parser/tree/ast.h"

namespace lt::stp {

// Moves texts that an alias makes with sprintf() to where they are read, so that printing them needs no copy. `first`:
// the number of statements of aliases at the start of the body. Only locals that nothing else writes are moved.
void inline_texts(ast::Program& program, ast::Block& body, size_t first);

// Removes the parts of aliases that the probe does not use.
void drop_unused(ast::Program& program, ast::Block& body, size_t first);

}  // namespace lt::stp
