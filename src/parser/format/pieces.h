// A script as the formatter sees it: its tokens, each with the comments before it, and what it keeps of the blanks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/source.h"
#include "parser/lt/lexer.h"

namespace lt::format {

struct Comment {
    std::string text;
    bool starts_line = false;  // is it the first in its line?
    bool ends_line = false;    // is it the last in its line, as `//` always is?
    bool apart = false;        // is there an empty line before it?
    bool at_margin = false;    // must it stay in the first column: `#!`?
    bool breaks() const { return ends_line || at_margin; }
};

// The precedence of what stands between operands, the weakest first. Lines break at the weakest operator.
enum class Rank : uint8_t {
    none,
    comma,
    assign,
    otherwise,  // the `:` of a choice
    choose,
    logical_or,
    logical_and,
    bit_or,
    bit_xor,
    bit_and,
    equal,
    compare,
    shift,
    add,
    multiply,
};

struct Piece {
    SymbolKind kind = Parser::symbol_kind::S_YYEOF;
    std::string text;
    std::vector<Comment> comments = {};  // before it
    bool starts_line = false;            // is there a line break between it and the piece before it?
    bool apart = false;                  // is there an empty line before it?
    bool begins_item = false;
    bool spaced = false;  // is there a blank before it, if it is in the same line as the piece before?
    Rank rank = Rank::none;
};

// The pieces of a script without errors; the last one is the end. A comma after the last probe of an item, which means
// nothing, is left out.
std::vector<Piece> pieces_of(const Source& source);

// Sets `spaced` and `rank` of all pieces.
void set_spacing(std::vector<Piece>& pieces);

}  // namespace lt::format
