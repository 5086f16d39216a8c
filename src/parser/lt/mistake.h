// A token at a position where it is not allowed.
#pragma once

#include <string_view>
#include <vector>

#include "parser/lt/lexer.h"

namespace lt {

struct Mistake {
    Lexing& lexer;
    SymbolKind found;
    Span span;
    std::vector<SymbolKind> expected;

    bool expects(SymbolKind kind) const;
    bool wants_operand() const { return expects(Parser::symbol_kind::S_TILDE); }
    bool is_inside(Bracket bracket) const;
    std::string_view text() const { return lexer.source.at(span); }
};

}  // namespace lt
