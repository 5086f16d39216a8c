// Stacks: the BPF library takes and stores them, and returns the key of the stored stack.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

inline constexpr int64_t user_stack = 1 << 8;  // BPF_F_USER_STACK

// Frames on top of the kernel's own stack: lt's program, with its loops, and the trampoline or function that called it.
int64_t frames_on_top(Way way, const Builder& b);
// The map that stores stacks.
uint32_t stack_map(Unit& unit);
// The buffers for taking stacks.
uint32_t stack_room_map(Unit& unit);
// Writes the 16 bytes of a stack to memory at `to`.
void stack_into(Lowering& l, Variable which, uint32_t frames, ir::Value to);

}  // namespace lt
