// Converts the text of a `.lt` program to tokens. The language needs context (a `/` divides or closes a predicate, a
// `>` compares or closes a span, a probe is one raw token), so the lexer keeps the open brackets. From them alone,
// without the parser, it knows what may come next.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/source.h"
#include "lt_grammar.h"

namespace lt {

using Token = Parser::symbol_type;
using SymbolKind = Parser::symbol_kind_type;
using TokenKind = Parser::token_kind_type;

// The tokens that may come next: a probe; the part after a probe or predicate; anything else.
enum class Mode : uint8_t { probe, head, code };

enum class Bracket : uint8_t { paren, square, brace, angle, predicate };

struct Open {
    Bracket bracket;
    Span span;
    Mode outside;           // the mode to return to
    bool is_value = false;  // a block in an expression before the item's own block
};

struct BracketRow {
    Bracket bracket;
    std::string_view open;
    std::string_view close;
    std::string_view hint;  // where to write the missing bracket
};
const BracketRow& bracket_row(Bracket bracket);

// How much to skip after an error: the rest of the line; the rest of the item up to the end of its block; or, if the
// brackets are not reliable, everything up to a line that begins like an item.
enum class Extent : uint8_t { line, block, to_next_item };

// Parsing stops after this many errors.
constexpr size_t most_diags = 20;

// The lexer's position in the text, and its state there. "Before" is before the current token.
struct Lexing {
    Lexing(const Source& source_in, Diags& diags_in);

    uint32_t offset(const unsigned char* at) const { return static_cast<uint32_t>(at - text); }
    const unsigned char* text_end() const { return text + source.text.size(); }
    Span here() const { return {offset(token), offset(cursor)}; }  // the current token so far
    std::string_view token_text() const { return source.at(here()); }
    Span item_span() const { return {item_begin, current.span.end}; }
    Token simple(TokenKind kind) const { return {kind, here()}; }
    void cut(uint32_t length) { cursor = token + length; }

    struct Seen {
        SymbolKind kind = Parser::symbol_kind::S_YYEMPTY;
        Span span;
        Mode mode = Mode::probe;
        std::optional<Open> enclosing;
        SymbolKind keyword = Parser::symbol_kind::S_YYEMPTY;
    };

    // The last search for the `->` of a span: its result is that of each probe that ends from `begin` to before `end`.
    struct ArrowSearch {
        uint32_t begin = 0;
        uint32_t end = 0;
        bool found = false;
    };

    const Source& source;
    Diags& diags;
    Diag discarded;  // receives messages while skipping
    const unsigned char* text;
    const unsigned char* token;   // start of the current token
    const unsigned char* cursor;  // end of the current token
    uint32_t item_begin = 0;
    Mode mode = Mode::probe;
    std::vector<Open> brackets;
    uint32_t choices = 0;  // number of `if` values before the item's own block whose block has not begun
    SymbolKind keyword = Parser::symbol_kind::S_YYEMPTY;  // the keyword that began the item
    bool in_closers = false;                              // is this after the `->` of a span?
    bool in_item = false;
    bool item_over = false;  // does the current token end its item?
    bool quiet = false;
    std::optional<Extent> skip;
    std::optional<uint32_t> back_to;  // the start of the next item, if the parser is already in it
    std::optional<std::pair<Span, Span>> last_span;
    ArrowSearch arrow_search;
    Seen before;
    Seen current;
};

// The next token. The `height` of the parser's stack limits how deeply a program may nest.
Token next_token(Lexing& s, size_t height);

// After an error at the current token: skips text silently, and the next token is RESUME.
void skip_item(Lexing& s, Extent extent);

bool item_begins(const Lexing& s, uint32_t offset);  // judged by its text, at the start of a line

}  // namespace lt
