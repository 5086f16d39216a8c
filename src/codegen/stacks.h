// What a program writes to get a stack: kstack, ustack(5), kstack(perf), ustack(raw, 5).
#pragma once

#include <optional>

#include "parser/ast.h"
#include "runtime/plan.h"
#include "stdlib/builtins.h"

namespace lt {

// The variable whose first frames a function gives; none where it gives something else.
std::optional<Variable> stack_variable(Function function);

// The number of frames asked for; none where it is no number or out of bounds.
std::optional<uint32_t> frame_count(const ast::Expr& expr);

// The form asked for; none where it is no name of one.
std::optional<StackForm> stack_form(const ast::Expr& expr);

// Its view says how offsets are printed: hex, or as bpftrace's plain numbers.
Type stack_of(const ast::Program& program, StackForm form);

struct StackRequest {
    uint32_t frames = stack_frames;
    StackForm form = StackForm::names;
};
// What a call whose arguments have been checked asks for.
StackRequest stack_request(const ast::Program& program, const ast::Call& call);

}  // namespace lt
