// Operations on long strings as functions that the verifier checks separately.
#pragma once

#include "codegen/emit/function.h"

namespace lt::emitter {

// Null: the operation stays inline.
llvm::Value* called_apart(Code& code, ir::Library id, llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace lt::emitter
