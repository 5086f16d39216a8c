// Target variables: $x, @cast() and the members after them.
#pragma once

#include <string>

#include "systemtap/names/scope.h"

namespace lt::stp {

// "struct file", "file", "char*": the type to which an address points, as in @cast.
ast::TypeName pointed_type(std::string text, Span where);

// The type of `@cast(address, "type", "modules")`, whose type must be in quotes.
ast::TypeName type_of_cast(const Names& scope, const ast::Call& n);

// The variable or cast at the start of a path of members.
ast::ExprId root_of(const Names& scope, ast::ExprId id);
bool is_target(const Names& scope, ast::ExprId id);
void resolve_target(Names& scope, ast::ExprId id);
void resolve_path(Names& scope, ast::ExprId id);
// For @defined: false if it is certain that there is none here, which is not an error.
bool resolve_if_there(Names& scope, ast::ExprId id);
void resolve_cast(Names& scope, ast::ExprId id, const ast::Call& n);
// Turns an address or a character into the number that SystemTap has there.
void as_long(Names& scope, ast::ExprId id);
// @entry(x): saved when the span opens.
void at_entry(Names& scope, ast::ExprId id);

// Records the target type of a number assigned elsewhere, as in `p = @cast(x, "struct file")`.
void note_type(Names& scope, ast::ExprId target, ast::ExprId value);
bool may_point(const Names& scope, ast::ExprId root);
void cast_by_itself(Names& scope, ast::ExprId id);

}  // namespace lt::stp
