// Conditions that only ask what is there: known when the program is compiled, so that the other branch may name what is
// not.
#pragma once

#include <optional>

#include "codegen/typed.h"
#include "parser/ast.h"

namespace lt {

// No value where it is known only when the program runs. The condition has been checked.
std::optional<bool> decided(const ast::Program& program, const Body& body, ast::ExprId condition);

}  // namespace lt
