// The compiler's stages after the parser, in order. Each takes the result of the previous one.
#pragma once

#include <string>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "codegen/ir/ir.h"
#include "codegen/resolve/resolve.h"
#include "codegen/typed/typed.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"

namespace lt {

// Finds the type of every expression and the layout of every map. Call it only if resolve() found no errors.
void check(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags);

// The code, and the plan by which the runtime runs it; complete except for the object.
struct Lowered {
    ir::Program program;
    Plan plan;
};
// The only errors are code that does not fit into BPF. The source gives the location of errors raised at run time.
Lowered lower(const ast::Program& program, const Typed& typed, const Source& source, Diags& diags);

// The emitter's result. Nothing outside the emitter uses LLVM.
struct Emitted {
    std::vector<uint8_t> object;  // ELF
    std::string llvm;             // the module's text, if requested
    std::string assembly;         // BPF assembly, if requested
};
struct EmitOptions {
    bool llvm_text = false;
    bool assembly_text = false;
};
// Reports C in the script that the kernel could not run in `diags`; the result is then empty.
Result<Emitted> emit(const ir::Program& program, const Plan& plan, const Source& source, const EmitOptions& options,
                     Diags& diags);

}  // namespace lt
