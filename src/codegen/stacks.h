// What a program writes to get a stack: kstack, ustack, kstack(5), ustack(5).
#pragma once

#include <optional>

#include "parser/ast.h"
#include "stdlib/builtins.h"

namespace lt {

// The variable whose first frames a function gives; none where it gives something else.
std::optional<Variable> stack_variable(Function function);

// The number of frames asked for; none where it is no number or out of bounds.
std::optional<uint32_t> frame_count(const ast::Expr& expr);

}  // namespace lt
