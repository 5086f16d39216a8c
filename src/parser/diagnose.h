// From "this token cannot stand here" to a sentence that says what is wrong and what to type.
#pragma once

#include "lexer.h"

namespace lt {

// Says it (unless the lexer already did) and answers how much of the text it spoils.
Extent diagnose(const Parser::context& at, Lexer& lexer);

}  // namespace lt
