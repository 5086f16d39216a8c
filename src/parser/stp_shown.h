// Arguments of system calls as texts, in SystemTap's own calls: argstr, and those that it names with _str.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parser/ast.h"
#include "stdlib/stp.h"

namespace lt::stp {

// sprintf("%d, \"%s\"", $0, user_string($1)): all of them, by their numbers.
ast::ExprId arguments_text(ast::Program& program, Span where, const StpSystemCall& call);

// flags_str, sig_name: that of one argument; none where there is no such argument, or it has no text.
std::optional<ast::ExprId> argument_text(ast::Program& program, Span where, const StpSystemCall& call,
                                         std::string_view name);

// Can a name be one of these?
bool shows_argument(std::string_view name);

}  // namespace lt::stp
