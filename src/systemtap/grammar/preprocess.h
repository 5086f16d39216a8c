// SystemTap's preprocessor, which runs before the grammar: macros (@define), then conditions (%( ... %)), then
// arguments of the command line ($1, @1, $#), then concatenation of adjacent strings.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/tree/invocation.h"
#include "systemtap/grammar/piece.h"

namespace lt::stp {

struct Macro {
    std::vector<std::string> parameters;
    bool takes_arguments = false;  // was it defined with parentheses?
    Pieces body;
};
using Macros = std::map<std::string, Macro>;

// Removes definitions of macros, adding them to `macros`, and replaces uses of macros by their bodies.
Pieces expand_macros(Pieces pieces, Macros& macros, Diags& diags);

// Replaces each condition by the side that applies.
Pieces choose(const Pieces& pieces, const Invocation& given, Diags& diags);

// Replaces $1 and @1 by words of the command line.
Pieces place_words(const Pieces& pieces, const Invocation& given, Diags& diags);

// All of these, in order.
Pieces preprocess(Pieces pieces, Macros& macros, const Invocation& given, Diags& diags);

}  // namespace lt::stp
