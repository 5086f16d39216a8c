// The pieces of a SystemTap text: the lexer produces them, the preprocessor changes them and the grammar reads them.
// Unlike tokens of the grammar they can be inserted, removed and joined.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "base/source.h"

namespace lt::stp {

enum class PieceKind : uint8_t {
    end,
    word,      // a name or a keyword
    target,    // $name, $$vars, $1, $#
    at_word,   // @name, @1, @#: with its @
    number,    // as written
    string,    // without its quotes, escapes replaced
    mark,      // an operator or a bracket
    embedded,  // %{ C %}: the text inside
};

struct Piece {
    PieceKind kind = PieceKind::end;
    Span span;
    std::string text;
    bool glued = false;  // does it directly follow the piece before it?

    bool is(std::string_view mark) const { return kind == PieceKind::mark && text == mark; }
    bool is_word(std::string_view word) const { return kind == PieceKind::word && text == word; }
};
using Pieces = std::vector<Piece>;

// All pieces of one file of the source, which begins at an offset. There is no `end` piece.
Pieces scan(const Source& source, Span file, Diags& diags);

// The pieces of a text from elsewhere, which diagnostics place at `where`.
Pieces scan_words(const std::string& text, Span where, Diags& diags);

}  // namespace lt::stp
