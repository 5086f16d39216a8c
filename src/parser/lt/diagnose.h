// Turns "this token is not allowed here" into a message that says what is wrong and what to type.
#pragma once

#include "parser/lt/lexer.h"

namespace lt {

// Reports the error (unless the lexer already did), and returns how much of the text to skip.
Extent diagnose(const Parser::context& at, Lexing& lexer);

}  // namespace lt
