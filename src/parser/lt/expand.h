// The passes that need the whole text and the command line: they insert settings, positional parameters and options,
// and replace calls of macros and functions by their bodies.
#pragma once

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "parser/tree/invocation.h"

namespace lt {

struct GrowingTree;

// The text as a tree, before these passes.
ast::Program read_tree(const Source& source, Diags& diags);

// Replaces names of macros whose text is in the script's language by that text.
void put_text_macros(GrowingTree& tree, const Source& source);

void expand(ast::Program& program, const Invocation& given, Diags& diags);

// Replaces `config` and config.NAME by the settings' values.
void put_settings(ast::Program& program);

// Replaces every call of a macro or function.
void expand_calls(ast::Program& program, Diags& diags);

// Replaces constant format expressions by their strings.
void constant_formats(ast::Program& program);

// Replaces `*&$x`, `(&$x)[0]`, `(&$x)->member`, and the same for maps, by the variable or map that they refer to.
void fold_addresses(ast::Program& program);

}  // namespace lt
