// Text of `.lt` to tokens. The language is not lexable without context (a `/` divides or closes a predicate, a `>`
// compares or closes a span, a probe is one raw token), so the lexer keeps the open brackets and knows from them alone,
// without asking the parser, what may stand next.
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

// What may stand here: a probe; what follows a probe or a predicate; anything else.
enum class Mode : uint8_t { probe, head, code };

enum class Bracket : uint8_t { paren, square, brace, angle, predicate };

struct Open {
    Bracket bracket;
    Span span;
    Mode outside;           // the mode to go back to
    bool is_value = false;  // a block in an expression in front of the item's own block
};

struct BracketRow {
    Bracket bracket;
    std::string_view open;
    std::string_view close;
    std::string_view hint;  // where to write what is missing
};
const BracketRow& bracket_row(Bracket bracket);

// How much is skipped after a mistake: the rest of the line; what is left of the item up to the end of its block; or,
// where the brackets cannot be trusted, all up to a line that begins like an item.
enum class Extent : uint8_t { line, block, to_next_item };

class Lexer {
  public:
    // After so many mistakes the rest of the text is not looked at.
    static constexpr size_t most_diags = 20;

    Lexer(const Source& source, Diags& diags);

    // The next token. `height` of the parser's stack is what limits how deeply a program may nest.
    Token next(size_t height);

    // After a mistake at the current token: what follows is skipped silently, and the next token is RESUME.
    void skip_item(Extent extent);

    // For those who explain mistakes. "Before" is before the current token.
    const Source& source() const { return source_; }
    Diags& diags() { return diags_; }
    SymbolKind kind_before() const { return before_.kind; }
    Span span_before() const { return before_.span; }
    Mode mode_before() const { return before_.mode; }
    SymbolKind keyword_before() const { return before_.keyword; }
    const std::optional<Open>& enclosing() const { return before_.enclosing; }
    Span item() const { return {item_begin_, current_.span.end}; }
    bool item_begins(uint32_t offset) const;  // by the looks of it, at the start of a line
    // Open and close of the last span's block.
    const std::optional<std::pair<Span, Span>>& last_span() const { return last_span_; }

  private:
    struct Seen {
        SymbolKind kind = Parser::symbol_kind::S_YYEMPTY;
        Span span;
        Mode mode = Mode::probe;
        std::optional<Open> enclosing;
        SymbolKind keyword = Parser::symbol_kind::S_YYEMPTY;
    };

    // lexer.re
    Token scan();
    uint32_t past_blanks(uint32_t offset) const;

    uint32_t offset(const unsigned char* at) const { return static_cast<uint32_t>(at - text_); }
    const unsigned char* text_end() const { return text_ + source_.text.size(); }
    Span here() const { return {offset(token_), offset(cursor_)}; }
    std::string_view text() const { return source_.at(here()); }
    Diag& complain(Span span, std::string message);
    Token bad(Span span, std::string message, std::string hint = "");
    Token simple(TokenKind kind) const { return {kind, here()}; }
    void cut(uint32_t length) { cursor_ = token_ + length; }

    // Brackets.
    bool opens_value();
    bool value_follows() const;
    bool begins_statement() const;
    Token open(Bracket bracket, TokenKind kind);
    bool predicate_ends() const;
    bool leads_to_arrow(uint32_t at) const;
    Token close(Bracket bracket, TokenKind kind);
    Token close_wrongly(Bracket bracket);
    void closed(Open was);
    std::optional<Open> top() const;
    bool in_block() const;

    // Tokens whose meaning depends on the context.
    bool comma_trails() const;
    Token comma();
    Token slash();
    Token arrow();
    Token assign();
    Token less(TokenKind otherwise);
    Token greater(TokenKind otherwise);
    Token word();
    bool is_label() const;
    Token probe();
    Token hash();
    Token c_line();
    Token c_definition();
    uint32_t definition_end(uint32_t at, std::optional<Span>& open) const;

    // Types in parentheses.
    Token cast();
    Token maybe_cast();
    Token maybe_offset();
    Token paren();
    bool operand_follows() const;

    // Literals.
    Token positional();
    Token integer(int base);
    Token scientific();
    Token duration();
    Token bad_number();
    Token string(char quote);
    Token open_string();
    Token open_comment();
    Token stray_byte();

    bool has_enough() const;
    Token fetch(size_t height);
    Token advance();
    Token resume();
    void skip_rest(Extent extent);
    void skip_line();
    bool at_next_item() const;

    const Source& source_;
    Diags& diags_;
    Diag discarded_;  // what is said while skipping
    const unsigned char* text_;
    const unsigned char* token_;   // begin of the current token
    const unsigned char* cursor_;  // past it
    uint32_t item_begin_ = 0;
    Mode mode_ = Mode::probe;
    std::vector<Open> brackets_;
    uint32_t choices_ = 0;  // each `if` of a value whose block has not begun, in front of the item's own block
    SymbolKind keyword_ = Parser::symbol_kind::S_YYEMPTY;  // with which the item began
    bool in_closers_ = false;                              // is this after the `->` of a span?
    bool in_item_ = false;
    bool item_over_ = false;  // does the current token end its item?
    bool quiet_ = false;
    std::optional<Extent> skip_;
    std::optional<uint32_t> back_to_;  // the next item, where the parser is already in it
    std::optional<std::pair<Span, Span>> last_span_;
    Seen before_;
    Seen current_;
};

}  // namespace lt
