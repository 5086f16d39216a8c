// --probe-filter: a program without the probes that it does not match.
#pragma once

#include <string>

#include "base/result.h"
#include "parser/ast.h"

namespace lt {

// Takes out every probe in whose name (the one that the program gives it, else the probe as written) the regular
// expression is not found. An Error where nothing is left.
Status filter_probes(ast::Program& program, const std::string& expression);

}  // namespace lt
