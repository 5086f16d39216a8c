// The patterns of tokens, one rule each; what depends on more than the text of the token is in lexer.cpp. re2c makes C++ of it.
// The text ends with the NUL of its std::string; parse() refuses texts that have another.
#include "parser/lt/scan.h"

namespace lt {

/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:yyfill:enable = 0;
    re2c:define:YYCURSOR = at;
    re2c:define:YYMARKER = marker;
    re2c:define:YYGETCONDITION = "s.mode";
    re2c:define:YYGETCONDITION:naked = 1;
    re2c:condenumprefix = "Mode::";

    nul        = "\x00";
    blank      = [ \t\r\n];
    word       = [A-Za-z_] [A-Za-z0-9_]*;
    comment    = "//" [^\n\x00]* | "/*" ([^*\x00] | "*"+ [^*/\x00])* "*"+ "/";
    decimal    = "0" | [1-9] [0-9_]*;
    suffix     = [uUlL] [uUlL]? [uUlL]?;
    unit       = "ns" | "us" | "ms" | [smhd];
    string     = ["] ([^"\\\n\x00] | "\\" [^\n\x00])* ["];
    gap        = [ \t\r\n]*;
    type       = word ([ \t\r\n]+ word)*;
    stars      = (gap "*")+;
    count      = gap "[" gap [0-9]* gap "]";
    path       = word (gap "." gap word)*;
    kind_byte  = [A-Za-z0-9_*?.\-];
    given      = "$" [0-9]+;
    probe_byte = [^\x00-\x20{},<>;"] | string;
*/

uint32_t past_blanks(const Lexing& s, uint32_t offset) {
    const unsigned char* at = s.text + offset;
    const unsigned char* marker = at;
    for (;;) {
        const unsigned char* start = at;
        /*!re2c
            (blank | comment)+ { continue; }
            *                  { return static_cast<uint32_t>(start - s.text); }
        */
    }
}

// Does an item seem to begin at the start of this line?
bool item_begins(const Lexing& s, uint32_t offset) {
    if (offset > 0 && s.source.text[offset - 1] != '\n') return false;
    const unsigned char* at = s.text + offset;
    const unsigned char* marker = at;
    /*!re2c
        word ":" [^ \t\r\n\x00]           { return true; }
        ("if" | "else" | "unroll") [ \t]* "{" { return false; }
        word [ \t]* "{"                   { return true; }
        ("param" | "span" | "chain") [ \t]+ word [ \t]* "=" { return true; }
        "param" ([ \t]+ ("-" word | given))+ [ \t]+ word [ \t]* "=" { return true; }
        *                                 { return false; }
    */
}

namespace {

// Some editors write a byte order mark at the start of a file.
bool begins_file(const Lexing& s) {
    const Position at = s.source.position(s.here().begin);
    return at.line == 1 && at.column == 1;
}

}  // namespace

Token scan_token(Lexing& s) {
    const unsigned char* marker = s.cursor;
    for (;;) {
        s.token = s.cursor;
        // clang-format off
        /*!re2c
            re2c:define:YYCURSOR = s.cursor;

            <*> blank+   { continue; }
            <*> comment  { continue; }
            <*> "/*"     { return open_comment_token(s); }
            <*> "#!" [^\n\x00]* { if (s.token == s.text || s.token[-1] == '\n') continue; return hash_token(s); }
            <*> "#"      { return hash_token(s); }
            <*> "\xef\xbb\xbf" { if (begins_file(s)) continue; return stray_byte_token(s); }
            <*> nul      { s.cursor = s.token; return s.simple(TokenKind::END); }

            <probe, head> (word | given) (kind_byte | given)* (":" probe_byte*)?  { return probe_token(s); }
            <probe, head> [*?] kind_byte* ":" probe_byte*                         { return probe_token(s); }
            <code> word  { return word_token(s); }

            <*> "@" word?      { return Parser::make_MAP(std::string(s.token_text().substr(1)), s.here()); }
            <*> "$" word       { return Parser::make_LOCAL(std::string(s.token_text().substr(1)), s.here()); }
            <*> "$" ([0-9]+ | "#") { return positional_token(s); }

            <*> decimal suffix?                            { return integer_token(s, 10); }
            <*> "0" [xX] [0-9a-fA-F] [0-9a-fA-F_]* suffix? { return integer_token(s, 16); }
            <*> "0" [bB] [01] [01_]* suffix?               { return integer_token(s, 2); }
            <*> "0" [0-7_]+ suffix?                        { return integer_token(s, 8); }
            <*> decimal [eE] decimal               { return scientific_token(s); }
            <*> [0-9] [0-9_]* ("." [0-9_]+)? unit  { return duration_token(s); }
            <*> [0-9] [0-9A-Za-z_]* ("." [0-9] [0-9A-Za-z_]*)? { return bad_number_token(s); }

            <*> string                                     { return string_token(s, '"'); }
            <*> ['] ([^'\\\n\x00] | "\\" [^\n\x00])* [']  { return string_token(s, '\''); }
            <*> ["']                                        { return open_string_token(s); }

            <code> "(" gap type count? gap ")"           { return maybe_cast_token(s); }
            <code> "(" gap type stars count? gap ")"     { return cast_token(s); }
            <code> "(" gap type stars? count stars gap ")" { return cast_token(s); }
            <code> "(" gap type stars? gap "," gap path gap ")" { return maybe_offset_token(s); }

            <*> "{"    { return open_bracket(s, Bracket::brace, begins_statement(s) ? TokenKind::BARE_OPEN : TokenKind::LBRACE); }
            <*> "("    { return open_bracket(s, Bracket::paren, TokenKind::LPAREN); }
            <*> "["    { return open_bracket(s, Bracket::square, TokenKind::LBRACKET); }
            <*> "}"    { return close_bracket(s, Bracket::brace, TokenKind::RBRACE); }
            <*> ")"    { return close_bracket(s, Bracket::paren, TokenKind::RPAREN); }
            <*> "]"    { return close_bracket(s, Bracket::square, TokenKind::RBRACKET); }
            <*> ","    { if (comma_trails(s)) continue; return comma_token(s); }
            <*> "/"    { return slash_token(s); }

            <*> "<"    { return less_token(s, TokenKind::LESS); }
            <*> "<="   { return less_token(s, TokenKind::LESS_EQUAL); }
            <*> "<<"   { return less_token(s, TokenKind::SHIFT_LEFT); }
            <*> "<<="  { return less_token(s, TokenKind::ASSIGN_SHIFT_LEFT); }
            <*> ">"    { return greater_token(s, TokenKind::GREATER); }
            <*> ">="   { return greater_token(s, TokenKind::GREATER_EQUAL); }
            <*> ">>"   { return greater_token(s, TokenKind::SHIFT_RIGHT); }
            <*> ">>="  { return greater_token(s, TokenKind::ASSIGN_SHIFT_RIGHT); }

            <*> ".."   { return s.simple(TokenKind::RANGE); }
            <*> "..."  { return s.simple(TokenKind::ELLIPSIS); }
            <*> "."    { return s.simple(TokenKind::DOT); }
            <*> "->"   { return arrow_token(s); }
            <*> ";"    { return s.simple(TokenKind::SEMICOLON); }
            <*> "?"    { return s.simple(TokenKind::QUESTION); }
            <*> ":"    { return s.simple(TokenKind::COLON); }
            <*> "=>"   { return becomes_token(s); }
            <*> "="    { return assign_token(s); }
            <*> "+="   { return s.simple(TokenKind::ASSIGN_ADD); }
            <*> "-="   { return s.simple(TokenKind::ASSIGN_SUBTRACT); }
            <*> "*="   { return s.simple(TokenKind::ASSIGN_MULTIPLY); }
            <*> "/="   { return s.simple(TokenKind::ASSIGN_DIVIDE); }
            <*> "%="   { return s.simple(TokenKind::ASSIGN_MODULO); }
            <*> "&="   { return s.simple(TokenKind::ASSIGN_AND); }
            <*> "|="   { return s.simple(TokenKind::ASSIGN_OR); }
            <*> "^="   { return s.simple(TokenKind::ASSIGN_XOR); }
            <*> "++"   { return s.simple(TokenKind::INCREMENT); }
            <*> "--"   { return s.simple(TokenKind::DECREMENT); }
            <*> "||"   { return s.simple(TokenKind::LOGICAL_OR); }
            <*> "&&"   { return s.simple(TokenKind::LOGICAL_AND); }
            <*> "|"    { return s.simple(TokenKind::BIT_OR); }
            <*> "^"    { return s.simple(TokenKind::BIT_XOR); }
            <*> "&"    { return s.simple(TokenKind::BIT_AND); }
            <*> "=="   { return s.simple(TokenKind::EQUAL); }
            <*> "!="   { return s.simple(TokenKind::NOT_EQUAL); }
            <*> "+"    { return s.simple(TokenKind::PLUS); }
            <*> "-"    { return s.simple(TokenKind::MINUS); }
            <*> "*"    { return s.simple(TokenKind::STAR); }
            <*> "%"    { return s.simple(TokenKind::PERCENT); }
            <*> "!"    { return s.simple(TokenKind::NOT); }
            <*> "~"    { return s.simple(TokenKind::TILDE); }
            <*> *      { return stray_byte_token(s); }
        */
        // clang-format on
    }
}

}  // namespace lt
