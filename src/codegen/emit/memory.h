// Numbers and memory: constants, addresses, loads and stores in a form that the verifier can follow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/emit/function.h"

namespace lt::emitter {

llvm::Value* word(Code& code, int64_t n);
// Argument i of an operation.
llvm::Value* input(Code& code, const ir::Op& op, size_t i);
// The same number, opaque to the verifier and LLVM.
llvm::Value* hidden(Code& code, llvm::Value* number);
llvm::Value* address_at(Code& code, llvm::Value* base, uint64_t offset);
// A computed number as an address that the verifier accepts; a pointer stays as it is.
llvm::Value* as_address(Code& code, llvm::Value* v);
// `width` is in bytes; the result has 64 bits.
llvm::Value* loaded(Code& code, llvm::Value* base, uint64_t offset, unsigned width, bool is_signed);
llvm::Value* from_context(Code& code, uint64_t offset, unsigned width, bool is_signed);
llvm::Value* extended(Code& code, llvm::Value* v, unsigned width, bool is_signed);
// The value of a store, in the width of the store.
llvm::Value* stored(Code& code, const ir::Op& op);
// Memory on BPF's stack, allocated at the function's entry.
llvm::AllocaInst* stack_memory(Code& code, uint64_t bytes);
llvm::Value* buffer(Code& code, uint64_t offset, uint64_t bytes);
void copy_bytes(Code& code, llvm::Value* to, llvm::Value* from, uint64_t bytes);

}  // namespace lt::emitter
