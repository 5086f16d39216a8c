// Stacks in a script: kstack, ustack(5), kstack(perf), ustack(raw, 5).
#pragma once

#include <optional>

#include "parser/tree/ast.h"
#include "runtime/border/plan.h"
#include "stdlib/functions/builtins.h"

namespace lt {

// The variable whose first frames a function returns; no value for other functions.
std::optional<Variable> stack_variable(Function function);

// The number of frames; no value if it is not a literal number or is out of range.
std::optional<uint32_t> frame_count(const ast::Expr& expr);

// The form; no value if there is none with this name.
std::optional<StackForm> stack_form(const ast::Expr& expr);

// The type of a stack. Its view decides how offsets are printed: in hex, or as plain numbers as in bpftrace.
Type stack_of(const ast::Program& program, StackForm form);

struct StackRequest {
    uint32_t frames = stack_frames;
    StackForm form = StackForm::names;
};
// The frames and form of a call. Its arguments have been checked.
StackRequest stack_request(const ast::Program& program, const ast::Call& call);

}  // namespace lt
