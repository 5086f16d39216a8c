// SystemTap's preprocessor, which runs before the grammar: macros (@define) and conditions (%( ... %)) together, then
// arguments of the command line ($1, @1, $#), then concatenation of adjacent strings.
#pragma once

#include "base/diag.h"
#include "parser/tree/invocation.h"
#include "systemtap/grammar/macros.h"
#include "systemtap/grammar/piece.h"

namespace lt::stp {

// Replaces each condition by the side that applies; macros are only defined and used there.
Pieces choose(MacroReader& pieces, const Invocation& given, Diags& diags);

// Replaces $1 and @1 by words of the command line.
Pieces place_words(const Pieces& pieces, const Invocation& given, Diags& diags);

// All of these, in order.
Pieces preprocess(Pieces pieces, Macros& macros, const Invocation& given, Diags& diags);

}  // namespace lt::stp
