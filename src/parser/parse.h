// Parses the .lt, .bt and .stp languages to a tree.
#pragma once

#include <string>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "base/source.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"

namespace lt {

// Always returns a tree of the parts that could be parsed; errors are in `diags`. Code that runs contains no macros,
// functions, positional parameters or getopt(): they are replaced by what they stand for.
ast::Program parse(const Source& source, Diags& diags, const Invocation& given = {});

// The tree before that replacement, as written.
ast::Program parse_as_written(const Source& source, Diags& diags, const Invocation& given = {});

// The replacement that parse() applies to such a tree.
void put_in(ast::Program& program, const Invocation& given, Diags& diags);

// Adds the text of all files that the program imports, directly or indirectly, each once. Also adds the files of
// SystemTap's library that it uses, including those in `folders`. `words` are the words of the command line, which may
// be part of the program.
void load_imports(Source& source, Diags& diags, const std::vector<std::string>& words = {},
                  const std::vector<std::string>& folders = {});

}  // namespace lt
