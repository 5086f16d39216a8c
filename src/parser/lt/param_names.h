// The other names of a parameter on the command line, which stand before its own: `param -n $1 count = 10`.
#pragma once

#include <cstdint>
#include <string>

#include "base/source.h"
#include "parser/tree/ast.h"

namespace lt {

struct ParamNames {
    std::string short_name;  // "n": the option is also -n; may be empty
    uint32_t word = 0;       // the script's word with this number sets it, too; 0: none
    bool fits = true;        // at most one of each
};

// `item` is a Parameter of this source.
ParamNames param_names(const Source& source, const ast::Item& item);

}  // namespace lt
