// The functions that make tokens, called when the scanner has found a token's text.
#pragma once

#include <string>

#include "parser/lt/lexer.h"

namespace lt {

// By the patterns of lexer.re.
Token scan_token(Lexing& s);
uint32_t past_blanks(const Lexing& s, uint32_t offset);

// Reports an error at this span. If there are several, the first ones are shown, up to a limit.
Diag& complain(Lexing& s, Span span, std::string message);
Token bad_token(Lexing& s, Span span, std::string message, std::string hint = "");
void skip_line(Lexing& s);

// Brackets, and tokens whose meaning depends on the open brackets.
bool in_block(const Lexing& s);
bool begins_statement(const Lexing& s);
bool value_follows(const Lexing& s);
bool comma_trails(const Lexing& s);
Token open_bracket(Lexing& s, Bracket bracket, TokenKind kind);
Token close_bracket(Lexing& s, Bracket bracket, TokenKind kind);
Token comma_token(Lexing& s);
Token arrow_token(Lexing& s);
Token assign_token(Lexing& s);
Token becomes_token(Lexing& s);
Token slash_token(Lexing& s);
Token less_token(Lexing& s, TokenKind otherwise);
Token greater_token(Lexing& s, TokenKind otherwise);

// Words, and C.
Token word_token(Lexing& s);
Token probe_token(Lexing& s);
Token hash_token(Lexing& s);
Token c_line_token(Lexing& s);
Token c_definition_token(Lexing& s);

// Types in parentheses, and texts that may be something else.
Token cast_token(Lexing& s);
Token maybe_cast_token(Lexing& s);
Token maybe_offset_token(Lexing& s);

// Literals.
Token positional_token(Lexing& s);
Token integer_token(Lexing& s, int base);
Token scientific_token(Lexing& s);
Token duration_token(Lexing& s);
Token string_token(Lexing& s, char quote);

// Invalid tokens.
Token bad_number_token(Lexing& s);
Token open_string_token(Lexing& s);
Token open_comment_token(Lexing& s);
Token stray_byte_token(Lexing& s);

}  // namespace lt
