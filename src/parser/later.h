// What stood where it cannot stand, and the table of constructs that are not there yet. A row leaves when the grammar
// gets a rule for it.
#pragma once

#include <string_view>
#include <vector>

#include "lexer.h"

namespace lt {

struct Mistake {
    Lexer& lexer;
    Kind found;
    Span span;
    std::vector<Kind> expected;

    bool expects(Kind kind) const;
    bool wants_operand() const { return expects(Parser::symbol_kind::S_TILDE); }
    bool is_inside(Bracket bracket) const;
    std::string_view text() const { return lexer.source().at(span); }
};

struct Later {
    Kind kind;
    bool (*matches)(const Mistake&);
    std::string_view what;  // "... not there yet" follows
    std::string_view hint;
    Extent extent;
};

// The row that explains the mistake, nullptr if none does.
const Later* find_later(const Mistake& mistake);

}  // namespace lt
