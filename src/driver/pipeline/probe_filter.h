// --probe-filter: removes the probes that do not match.
#pragma once

#include <string>

#include "base/result.h"
#include "parser/tree/ast.h"

namespace lt {

// Removes every probe whose name (the one that the script gives it, else the probe as written) the regular expression
// does not match anywhere. An Error if no probe is left.
Status filter_probes(ast::Program& program, const std::string& expression);

}  // namespace lt
