#include "parser/lt/mistake.h"

#include <algorithm>

namespace lt {

bool Mistake::expects(SymbolKind kind) const { return std::ranges::find(expected, kind) != expected.end(); }

bool Mistake::is_inside(Bracket bracket) const {
    return lexer.before.enclosing.has_value() && lexer.before.enclosing->bracket == bracket;
}

}  // namespace lt
