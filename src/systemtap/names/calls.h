// Calls of functions: of SystemTap's, by the table, and of those that the script defines.
#pragma once

#include "systemtap/names/scope.h"

namespace lt::stp {

void resolve_call(Names& scope, ast::ExprId id);
void resolve_arguments(Names& scope, const ast::Call& n);
// @-words that look like calls: @defined, @cast, @var, @entry, statistics ...
void at_call(Names& scope, ast::ExprId id, const ast::Call& n);
// %{ EIO %}: a function with those arguments of the enclosing one that the C names.
void value_in_c(Names& scope, ast::ExprId id, const ast::Call& n);
// error(): ends the run with a message, or runs the `catch` around it.
void raise_error(Names& scope, ast::ExprId id, const ast::Call& n);
// try and catch in a tree that people will read.
void resolve_attempt(Names& scope, ast::StmtId id);

// Calls that ask about the probe itself.
void register_value(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row);
void resolve_fact(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row);
void symbol_part(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row);
void resolve_abort(Names& scope, ast::ExprId id, const ast::Call& n);

}  // namespace lt::stp
