// Parses SystemTap scripts into the tree that all languages share.
#pragma once

#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"

namespace lt::stp {

// Reads the text, followed by the library files that were added to it.
void read(ast::Program& program, const Source& source, const Invocation& given, Diags& diags);

// Adds the text of the library files that define what the script names and does not define itself. User folders (-I)
// can hold more such files.
void load_library(Source& source, const std::vector<std::string>& words, const std::vector<std::string>& folders,
                  Diags& diags);

}  // namespace lt::stp
