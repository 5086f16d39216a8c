// The variables of a body ($x). A variable without a declaration is visible in the whole block of its probe, one
// declared with `let` in the block that declares it.
#pragma once

#include <functional>
#include <string_view>

#include "codegen/check/context.h"

namespace lt {

// Runs `body` in a new scope: the variables that it declares are not visible afterwards.
void in_new_scope(CheckContext& c, const std::function<void()>& body);

// The variable with this name; null if there is none. Valid until another one is declared.
NamedLocal* find_local(CheckContext& c, std::string_view name);

// Declares a variable in this block with the type that the last round found; an error if the name is taken here.
// Returns its index in Body::locals.
uint32_t declare_local(CheckContext& c, const std::string& name, Span where, LocalInfo info);

// $x = value and $x += value. The first assignment declares the variable.
void assign_local(CheckContext& c, const ast::Assign& node, const ast::Local& target);

// Merges the type of a checked value into that of a local; an error if they have no common type.
void assign_to(CheckContext& c, uint32_t local, const Type& type, ast::ExprId value);

Type type_of(CheckContext& c, ast::ExprId id, const ast::Local& node);

}  // namespace lt
