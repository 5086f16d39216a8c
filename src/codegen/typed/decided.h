// Conditions that are known at compile time: the branch that is not taken may use names that do not exist here.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/typed/typed.h"
#include "parser/tree/ast.h"

namespace lt {

// The value of a number, a size, an offset, an enumerator, a question about a type, or a computation with these; no
// value if it is only known at run time. The expression has been checked.
std::optional<int64_t> known_value(const ast::Program& program, const Body& body, ast::ExprId id);

// The text of a string literal, a text of typeinfo(), or the kind of a probe.
std::optional<std::string_view> known_text(const ast::Program& program, const Body& body, ast::ExprId id);

// The value of a condition; no value if it is only known at run time. The condition has been checked.
std::optional<bool> decided(const ast::Program& program, const Body& body, ast::ExprId condition);

// The value of a literal, such as $1, the result of a comparison of known values, or a combination of these by `!`,
// `&&` and `||`; both branches are compiled nevertheless.
std::optional<bool> foreseen(const ast::Program& program, const Body& body, ast::ExprId condition);

}  // namespace lt
