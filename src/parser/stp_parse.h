// SystemTap programs to the tree that all languages share.
#pragma once

#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/ast.h"
#include "parser/parse.h"

namespace lt::stp {

// The text, and behind it the files of the library that were added to it.
void read(ast::Program& program, const Source& source, const Invocation& given, Diags& diags);

// Adds the text of the files of the library that define what the program names and does not define itself. A folder of
// the user's (-I) holds more such files.
void load_library(Source& source, const std::vector<std::string>& words, const std::vector<std::string>& folders,
                  Diags& diags);

}  // namespace lt::stp
