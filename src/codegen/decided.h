// Conditions that only ask what is there: known when the program is compiled, so that the other branch may name what is
// not.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/typed.h"
#include "parser/ast.h"

namespace lt {

// A number, a size, an offset, an enumerator, what one asks about a type, and what is computed of them; no value for
// what is known only when the program runs. The expression has been checked.
std::optional<int64_t> known_value(const ast::Program& program, const Body& body, ast::ExprId id);

// A string as it stands, one that typeinfo() says, the kind of a probe.
std::optional<std::string_view> known_text(const ast::Program& program, const Body& body, ast::ExprId id);

// No value where it is known only when the program runs. The condition has been checked.
std::optional<bool> decided(const ast::Program& program, const Body& body, ast::ExprId condition);

// What a comparison of known values says, as of $1 with a number; both branches are compiled nevertheless.
std::optional<bool> foreseen(const ast::Program& program, const Body& body, ast::ExprId condition);

}  // namespace lt
