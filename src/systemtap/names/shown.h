// Arguments of system calls as texts, by SystemTap's own functions: argstr, and the names that end in _str.
#pragma once

#include <optional>
#include <string_view>

#include "parser/tree/ast.h"
#include "systemtap/tables/stp.h"

namespace lt::stp {

// sprintf("%d, \"%s\"", $0, user_string($1)): all arguments, by number.
ast::ExprId arguments_text(ast::Program& program, Span where, const StpSystemCall& call);

// flags_str, sig_name, args: the text of one argument; none if there is no such argument, or if it has no text.
std::optional<ast::ExprId> argument_text(ast::Program& program, Span where, const StpSystemCall& call,
                                         std::string_view name);

// Can the name be one of these?
bool shows_argument(std::string_view name);

}  // namespace lt::stp
