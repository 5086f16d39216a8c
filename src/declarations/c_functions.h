// Functions of a script that are written in kernel C. clang compiles them to LLVM bitcode for BPF, which the emitter
// links. Types come from the kernel's type information; kernel headers are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"

namespace lt {

// clang's errors are in `diags`, at their place in the script; the result is then empty.
std::vector<uint8_t> compile_c_functions(const Source& source, const ast::Program& program, Kernel& kernel,
                                         Diags& diags);

// The reason why this machine cannot compile functions in C; empty if it can.
std::optional<Error> lacking_clang();

}  // namespace lt
