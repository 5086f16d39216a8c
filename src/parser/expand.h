// What is known once the whole text and the command line are: settings, positional parameters and options are put in
// their places, calls of macros and functions are replaced by their bodies.
#pragma once

#include "base/diag.h"
#include "parser/ast.h"
#include "parser/parse.h"

namespace lt {

// The text as a tree, before all that.
ast::Program read_tree(const Source& source, Diags& diags);

void expand(ast::Program& program, const Invocation& given, Diags& diags);

// Replaces `config` and config.NAME by what the settings are.
void put_settings(ast::Program& program);

// Replaces every call of a macro or function.
void expand_calls(ast::Program& program, Diags& diags);

// Replaces formats that are known by the string that they are.
void constant_formats(ast::Program& program);

// Replaces `*&$x`, `(&$x)[0]`, `(&$x)->member` and the same of maps by what they name.
void fold_addresses(ast::Program& program);

}  // namespace lt
