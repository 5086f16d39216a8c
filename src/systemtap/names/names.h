// Resolves each name in a SystemTap body: globals, locals, target variables, functions. Changes the body in place; it
// must be a copy of its own.
#pragma once

#include <string>

#include "systemtap/names/scope.h"

namespace lt::stp {

// A whole body; puts declarations of its locals before it.
void resolve_body(Names& scope, ast::Block& b, const Around& around);
// The condition of a probe.
void resolve_condition(Names& scope, ast::ExprId id, const Around& around);

// Parts of the current body.
void resolve_block(Names& scope, const ast::Block& b);
void resolve_statement(Names& scope, ast::StmtId id);
void resolve_expr(Names& scope, ast::ExprId id);

// Does a function of the script return anything?
bool gives_value(const Names& scope, const Function& function);
// Moves the expression at `id` to a new id, so that something around it can be put at `id`.
ast::ExprId moved(Names& scope, ast::ExprId id);

// In a port: warns of each `try` of the script whose failing reads nothing catches in .lt.
void warn_of_uncaught(const Names& scope, const Source& source);

bool is_all_arguments(std::string_view name);  // $$vars, $$parms
bool says_next(const ast::Program& program, const ast::Block& block);
bool is_next(const ast::Program& program, ast::StmtId id);
// The name of a function in the tree: one that has no meaning in lt.
std::string name_in_tree(const Function& function, const FunctionTable& table);

}  // namespace lt::stp
