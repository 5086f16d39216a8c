// The patterns of tokens, one rule each; what depends on more than the text of the token is in lexer.cpp. re2c makes C++ of it.
// The text ends with the NUL of its std::string; parse() refuses texts that have another.
#include "lexer.h"

namespace lt {

/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:yyfill:enable = 0;
    re2c:define:YYCURSOR = at;
    re2c:define:YYMARKER = marker;
    re2c:define:YYGETCONDITION = "mode_";
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

uint32_t Lexer::past_blanks(uint32_t offset) const {
    const unsigned char* at = text_ + offset;
    const unsigned char* marker = at;
    for (;;) {
        const unsigned char* start = at;
        /*!re2c
            (blank | comment)+ { continue; }
            *                  { return static_cast<uint32_t>(start - text_); }
        */
    }
}

// Does an item seem to begin at the start of this line?
bool Lexer::item_begins(uint32_t offset) const {
    if (offset > 0 && source_.text[offset - 1] != '\n') return false;
    const unsigned char* at = text_ + offset;
    const unsigned char* marker = at;
    /*!re2c
        word ":" [^ \t\r\n\x00]           { return true; }
        ("if" | "else" | "unroll") [ \t]* "{" { return false; }
        word [ \t]* "{"                   { return true; }
        ("param" | "span") [ \t]+ word [ \t]* "=" { return true; }
        *                                 { return false; }
    */
}

Token Lexer::scan() {
    const unsigned char* marker = cursor_;
    for (;;) {
        token_ = cursor_;
        // clang-format off
        /*!re2c
            re2c:define:YYCURSOR = cursor_;

            <*> blank+   { continue; }
            <*> comment  { continue; }
            <*> "/*"     { return open_comment(); }
            <*> "#!" [^\n\x00]* { if (token_ == text_) continue; return hash(); }
            <*> "#"      { return hash(); }
            <*> nul      { cursor_ = token_; return simple(TokenKind::END); }

            <probe, head> (word | given) (kind_byte | given)* (":" probe_byte*)?  { return probe(); }
            <probe, head> [*?] kind_byte* ":" probe_byte*                         { return probe(); }
            <code> word  { return word(); }

            <*> "@" word?      { return Parser::make_MAP(std::string(text().substr(1)), here()); }
            <*> "$" word       { return Parser::make_LOCAL(std::string(text().substr(1)), here()); }
            <*> "$" ([0-9]+ | "#") { return positional(); }

            <*> decimal suffix?                            { return integer(10); }
            <*> "0" [xX] [0-9a-fA-F] [0-9a-fA-F_]* suffix? { return integer(16); }
            <*> "0" [bB] [01] [01_]* suffix?               { return integer(2); }
            <*> "0" [0-7_]+ suffix?                        { return integer(8); }
            <*> decimal [eE] decimal               { return scientific(); }
            <*> [0-9] [0-9_]* ("." [0-9_]+)? unit  { return duration(); }
            <*> [0-9] [0-9A-Za-z_]* ("." [0-9] [0-9A-Za-z_]*)? { return bad_number(); }

            <*> string                                     { return string('"'); }
            <*> ['] ([^'\\\n\x00] | "\\" [^\n\x00])* [']  { return string('\''); }
            <*> ["']                                        { return open_string(); }

            <code> "(" gap type count? gap ")"           { return maybe_cast(); }
            <code> "(" gap type stars count? gap ")"     { return cast(); }
            <code> "(" gap type stars? count stars gap ")" { return cast(); }
            <code> "(" gap type stars? gap "," gap path gap ")" { return maybe_offset(); }

            <*> "{"    { return open(Bracket::brace, begins_statement() ? TokenKind::BARE_OPEN : TokenKind::LBRACE); }
            <*> "("    { return open(Bracket::paren, TokenKind::LPAREN); }
            <*> "["    { return open(Bracket::square, TokenKind::LBRACKET); }
            <*> "}"    { return close(Bracket::brace, TokenKind::RBRACE); }
            <*> ")"    { return close(Bracket::paren, TokenKind::RPAREN); }
            <*> "]"    { return close(Bracket::square, TokenKind::RBRACKET); }
            <*> ","    { if (comma_trails()) continue; return comma(); }
            <*> "/"    { return slash(); }

            <*> "<"    { return less(TokenKind::LESS); }
            <*> "<="   { return less(TokenKind::LESS_EQUAL); }
            <*> "<<"   { return less(TokenKind::SHIFT_LEFT); }
            <*> "<<="  { return less(TokenKind::ASSIGN_SHIFT_LEFT); }
            <*> ">"    { return greater(TokenKind::GREATER); }
            <*> ">="   { return greater(TokenKind::GREATER_EQUAL); }
            <*> ">>"   { return greater(TokenKind::SHIFT_RIGHT); }
            <*> ">>="  { return greater(TokenKind::ASSIGN_SHIFT_RIGHT); }

            <*> ".."   { return simple(TokenKind::RANGE); }
            <*> "..."  { return simple(TokenKind::ELLIPSIS); }
            <*> "."    { return simple(TokenKind::DOT); }
            <*> "->"   { return arrow(); }
            <*> ";"    { return simple(TokenKind::SEMICOLON); }
            <*> "?"    { return simple(TokenKind::QUESTION); }
            <*> ":"    { return simple(TokenKind::COLON); }
            <*> "="    { return assign(); }
            <*> "+="   { return simple(TokenKind::ASSIGN_ADD); }
            <*> "-="   { return simple(TokenKind::ASSIGN_SUBTRACT); }
            <*> "*="   { return simple(TokenKind::ASSIGN_MULTIPLY); }
            <*> "/="   { return simple(TokenKind::ASSIGN_DIVIDE); }
            <*> "%="   { return simple(TokenKind::ASSIGN_MODULO); }
            <*> "&="   { return simple(TokenKind::ASSIGN_AND); }
            <*> "|="   { return simple(TokenKind::ASSIGN_OR); }
            <*> "^="   { return simple(TokenKind::ASSIGN_XOR); }
            <*> "++"   { return simple(TokenKind::INCREMENT); }
            <*> "--"   { return simple(TokenKind::DECREMENT); }
            <*> "||"   { return simple(TokenKind::LOGICAL_OR); }
            <*> "&&"   { return simple(TokenKind::LOGICAL_AND); }
            <*> "|"    { return simple(TokenKind::BIT_OR); }
            <*> "^"    { return simple(TokenKind::BIT_XOR); }
            <*> "&"    { return simple(TokenKind::BIT_AND); }
            <*> "=="   { return simple(TokenKind::EQUAL); }
            <*> "!="   { return simple(TokenKind::NOT_EQUAL); }
            <*> "+"    { return simple(TokenKind::PLUS); }
            <*> "-"    { return simple(TokenKind::MINUS); }
            <*> "*"    { return simple(TokenKind::STAR); }
            <*> "%"    { return simple(TokenKind::PERCENT); }
            <*> "!"    { return simple(TokenKind::NOT); }
            <*> "~"    { return simple(TokenKind::TILDE); }
            <*> *      { return stray_byte(); }
        */
        // clang-format on
    }
}

}  // namespace lt
