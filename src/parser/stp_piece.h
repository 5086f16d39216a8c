// The pieces of a SystemTap text: what its lexer cuts out, what the preprocessor works on and the grammar reads. Unlike
// tokens of the grammar they can be put in, taken out and joined.
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
    number,    // as it is written
    string,    // without its quotes, escapes replaced
    mark,      // an operator or a bracket
    embedded,  // %{ C %}: what stands inside
};

struct Piece {
    PieceKind kind = PieceKind::end;
    Span span;
    std::string text;
    bool glued = false;  // does it stand right behind the piece before it?

    bool is(std::string_view mark) const { return kind == PieceKind::mark && text == mark; }
    bool is_word(std::string_view word) const { return kind == PieceKind::word && text == word; }
};
using Pieces = std::vector<Piece>;

// All pieces of one file of the source, which begins at an offset. The last is not an `end`.
Pieces scan(const Source& source, Span file, Diags& diags);

// Those of a text from elsewhere, which stands for what is at `where`.
Pieces scan_words(const std::string& text, Span where, Diags& diags);

}  // namespace lt::stp
