// Loops, scopes, and the state that loop bodies share with the code around them.
#pragma once

#include <cstdint>

#include "codegen/emit/function.h"

namespace lt::emitter {

// Allocates the memory that this function shares with the bodies of its loops.
void share_memory(Code& code);
llvm::Value* word_at(Code& code, uint32_t word);
llvm::Value* slot_address(Code& code, uint32_t number);
// An IR value at the current position: loaded from memory if it was made outside of the loop.
llvm::Value* at_hand(Code& code, ir::Value v);
// The context of the program, also in the body of a loop.
llvm::Value* context_of(Code& code);
// The same value, opaque to LLVM.
llvm::Value* opaque(Code& code, llvm::Value* v);

void emit_loop(Code& code, const ir::Op& op);
void emit_own_loop(Code& code, const ir::Op& op);  // an inline loop, for kernels without bpf_loop
void emit_scope(Code& code, const ir::Op& op);
void emit_stop(Code& code);
// Continues after the scope with this number; 0: ends the program.
void go_to(Code& code, uint32_t target);
llvm::Value* turn_number(Code& code, const ir::Op& op);

}  // namespace lt::emitter
