// Calls of helpers and of library functions.
#pragma once

#include <cstdint>

#include "codegen/emit/function.h"

namespace lt::emitter {

// An operation that calls something; null if it has no value.
llvm::Value* emit_call(Code& code, const ir::Op& op);

// `address`: the helper returns an address. The number is one of enum bpf_func_id.
llvm::Value* helper_call(Code& code, int64_t number, llvm::ArrayRef<llvm::Value*> arguments, bool address = false);
// A function of stdlib/bpf.
llvm::CallInst* library_call(Code& code, ir::Library id, llvm::ArrayRef<llvm::Value*> given);

void count_loss(Code& code, uint32_t index);

}  // namespace lt::emitter
