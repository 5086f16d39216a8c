// What SystemTap does with the pieces of a text before its grammar: macros (@define), then conditions (%( ... %)), then
// what the command line gives ($1, @1, $#), then strings that stand side by side become one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/parse.h"
#include "stp_piece.h"

namespace lt::stp {

struct Macro {
    std::vector<std::string> parameters;
    bool takes_arguments = false;  // was it defined with parentheses?
    Pieces body;
};
using Macros = std::map<std::string, Macro>;

// The pieces without definitions of macros, which are added to `macros`, and with bodies where macros are named.
Pieces expand_macros(Pieces pieces, Macros& macros, Diags& diags);

// Of each condition the side that holds. All else is as it was.
Pieces choose(const Pieces& pieces, const Invocation& given, Diags& diags);

// Words of the command line in the places of $1 and @1.
Pieces place_words(const Pieces& pieces, const Invocation& given, Diags& diags);

// All of these, in their order.
Pieces preprocess(Pieces pieces, Macros& macros, const Invocation& given, Diags& diags);

}  // namespace lt::stp
