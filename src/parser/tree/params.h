// Parameters before they are resolved: their other names on the command line, which stand before their own, as in
// `param -n $1 count = 10`; and their values in the text of probes, as in `interval:$every`.
#pragma once

#include <cstdint>
#include <string>

#include "base/diag.h"
#include "base/source.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"

namespace lt {

struct ParamNames {
    std::string short_name;  // "n": the option is also -n; may be empty
    uint32_t word = 0;       // the script's word with this number sets it, too; 0: none
    bool fits = true;        // at most one of each
};

// `item` is a Parameter of this source.
ParamNames param_names(const Source& source, const ast::Item& item);

// Puts the values in their places, and removes the intervals whose period is 0. Such a parameter is a constant from
// here on, and an option like those of getopt(): it cannot be set while the program runs.
void place_params(ast::Program& program, const Invocation& given, Diags& diags);

}  // namespace lt
