#include "later.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

using K = Parser::symbol_kind;

bool in_code(const Mistake& m) { return m.lexer.mode_before() == Mode::code; }
bool before_operand(const Mistake& m) { return in_code(m) && m.wants_operand(); }

constexpr std::array rows = {
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
