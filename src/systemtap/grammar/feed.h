// Feeds pieces to the grammar as tokens. A probe's header has its own words (a '*' belongs to a name, `return` is not a
// keyword), so the feed tracks where a header begins and ends.
#pragma once

#include <cstddef>

#include "base/diag.h"
#include "stp_grammar.h"
#include "systemtap/grammar/piece.h"

namespace lt::stp {

class Feed {
  public:
    Feed(const Pieces& pieces, Diags& diags) : pieces_(pieces), diags_(diags) {}

    Parser::symbol_type next(size_t height);

    // The last token as messages name it, and its place.
    std::string found() const;
    Span where() const;
    bool found_keyword() const;
    std::string divided_operator() const;  // "==" at the second part of `= =`; empty if the token is not such a part
    Span before() const { return at_ >= 2 ? pieces_[at_ - 2].span : where(); }
    bool word_follows() const { return at_ < pieces_.size() && pieces_[at_].kind == PieceKind::word; }
    const Piece* open_bracket() const;  // the innermost that is not closed before the last token; null if there is none
    Diags& diags() { return diags_; }
    void skip();  // skips to the next declaration

  private:
    using Token = Parser::symbol_type;
    Token end() const;
    Token header_word();
    Token word(const Piece& piece);
    Token number(const Piece& piece);
    Token mark(const Piece& piece);
    void header_mark(const Piece& piece);
    bool begins_point() const;
    bool begins_item(size_t index) const;
    bool glues(size_t index) const;
    bool shows_whole(size_t index) const;

    const Pieces& pieces_;
    Diags& diags_;
    size_t at_ = 0;
    bool header_ = false;
    uint32_t header_parens_ = 0;
    uint32_t header_braces_ = 0;
    uint32_t brackets_ = 0;  // open ones outside of headers
    bool too_deep_ = false;
    bool resume_ = false;
};

}  // namespace lt::stp
