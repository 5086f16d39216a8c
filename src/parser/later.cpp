#include "later.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

using K = Parser::symbol_kind;

bool anywhere(const Mistake&) { return true; }
bool at_item(const Mistake& m) { return m.lexer.mode_before() == Mode::probe; }
bool in_code(const Mistake& m) { return m.lexer.mode_before() == Mode::code; }
bool before_operand(const Mistake& m) { return in_code(m) && m.wants_operand(); }
bool after_operand(const Mistake& m) { return in_code(m) && !m.wants_operand(); }
bool in_parens(const Mistake& m) { return after_operand(m) && m.is_inside(Bracket::paren); }

constexpr std::array rows = {
    Later{K::S_PREAMBLE, at_item, "C preprocessor lines are", "", Extent::line},
    Later{K::S_C_TYPE, at_item, "C definitions are", "", Extent::block},
    Later{K::S_C_TYPE, anywhere, "C types in expressions are", "", Extent::block},
    Later{K::S_COMMA, in_parens, "tuples are", "as a key of a map, write several values: @x[a, b]", Extent::block},
    Later{K::S_LBRACKET, after_operand, "indexing is", "", Extent::block},
    Later{K::S_STAR, before_operand, "reading through a pointer ('*x') is", "", Extent::block},
    Later{K::S_BIT_AND, before_operand, "taking an address ('&x') is", "", Extent::block},
};

}  // namespace

bool Mistake::expects(Kind kind) const { return std::find(expected.begin(), expected.end(), kind) != expected.end(); }

bool Mistake::is_inside(Bracket bracket) const {
    return lexer.enclosing().has_value() && lexer.enclosing()->bracket == bracket;
}

const Later* find_later(const Mistake& mistake) {
    for (const Later& row : rows) {
        if (row.kind == mistake.found && row.matches(mistake)) return &row;
    }
    return nullptr;
}

}  // namespace lt
