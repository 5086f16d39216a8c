// Texts that an alias makes with sprintf() are put where they are read, so that what only prints them needs no copy.
#pragma once

#include "parser/ast.h"

namespace lt::stp {

// Of the body's first statements (those of aliases) each that gives a local such a text, if nothing else writes it.
void inline_texts(ast::Program& program, ast::Block& body, size_t first);

}  // namespace lt::stp
