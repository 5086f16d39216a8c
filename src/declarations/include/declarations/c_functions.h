// Functions of a script that are written in C of the kernel's kind: clang makes LLVM bitcode for BPF of them, which the
// emitter links. Types are those of the kernel's type information; headers of the kernel are not looked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "parser/ast.h"
#include "runtime/kernel.h"

namespace lt {

// What clang refuses is in `diags`, at its place in the script; the result is then empty.
std::vector<uint8_t> compile_c_functions(const Source& source, const ast::Program& program, Kernel& kernel,
                                         Diags& diags);

// Why functions in C cannot be compiled on this machine; none where they can.
std::optional<Error> lacking_clang();

}  // namespace lt
