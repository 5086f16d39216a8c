#include "mistake.h"

#include <algorithm>

namespace lt {

bool Mistake::expects(SymbolKind kind) const {
    return std::find(expected.begin(), expected.end(), kind) != expected.end();
}

bool Mistake::is_inside(Bracket bracket) const {
    return lexer.enclosing().has_value() && lexer.enclosing()->bracket == bracket;
}

}  // namespace lt
