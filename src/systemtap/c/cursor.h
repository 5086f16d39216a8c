// The position in the pieces of a C body.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "systemtap/grammar/piece.h"

namespace lt::stp {

bool holds(const auto& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }

class CCursor {
  public:
    explicit CCursor(const Pieces& c) : c_(c) {}

    bool is_fine() const { return fine_; }
    void refuse();
    Span refused() const { return refused_; }  // the first piece that is not supported
    bool at_end() const { return at_ >= c_.size(); }
    const Piece& now() const { return at_end() ? end_ : c_[at_]; }
    Piece next();
    bool take(std::string_view mark);
    bool take_word(std::string_view word);
    void skip_brackets();
    Piece made(PieceKind kind, std::string text) const;

  protected:
    const Pieces& c_;
    size_t at_ = 0;
    bool fine_ = true;

  private:
    Span refused_;
    Piece end_ = {};
};

}  // namespace lt::stp
