// The effects of statements, and parts of a body that never run.
#pragma once

#include "systemtap/names/scope.h"

namespace lt::stp {

// Does the statement end the body, so that nothing after it in its block runs?
bool leaves_body(const Names& scope, ast::StmtId id);
// Moves exit() to the end of a block, since lt's ends the block and SystemTap's does not.
void exit_last(Names& scope, const ast::Block& b);
// An unused value: removed if it has no effect.
void let_go(Names& scope, ast::StmtId id, ast::ExprId value);
bool has_effect(const Names& scope, ast::ExprId id);
// For an expression that is used several times: if its evaluation may have an effect, it becomes a local, which
// `before` declares. Neither is resolved yet.
ast::ExprId evaluated_once(Names& scope, ast::ExprId id, ast::Block& before);
// The same for the parts of a key, and for those that something evaluated `later` changes.
void save_key(Names& scope, ast::Map& map, const std::vector<ast::ExprId>& later, ast::Block& before);
// The tree has the key of x[key] .= value twice, and that of an assignment whose value is used: replaces both by a
// block with locals, if it must not be evaluated twice. False: nothing was replaced.
bool join_once(Names& scope, ast::StmtId id, const ast::Assign& assign);
bool assign_once(Names& scope, ast::ExprId id, const ast::BlockValue& assignment);

// Does the expression change an array that a surrounding loop visits? Both report it as an error.
bool changes_walked(Names& scope, ast::ExprId target);
bool call_changes_walked(Names& scope, ast::ExprId id, const Function& function);

// @defined, as far as its result is known here. A branch that is not taken may name what does not exist.
bool is_dead_branch(Names& scope, ast::StmtId id, const ast::If& branch);
bool decided_by_defined(Names& scope, ast::ExprId id);

}  // namespace lt::stp
