// The first stage after the parser: finds the locations of probes and the values of parameters.
#pragma once

#include "base/diag.h"
#include "codegen/providers/shared/options.h"
#include "codegen/typed/typed.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"

namespace lt {

// Finds the locations of every probe and reads the parameters. In the result every body has one existing location and
// the methods to attach to it.
Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& options, Diags& diags);

}  // namespace lt
