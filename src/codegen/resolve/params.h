// Parameters: values that a script names, the command line sets, and a program reads each time it runs.
#pragma once

#include "base/diag.h"
#include "codegen/resolve/resolve.h"

namespace lt {

void read_params(const ast::Program& program, const ResolveOptions& options, Typed& typed, Diags& diags);

// The parameter with the longest latency of a span that has the threshold `worst`. Its name is `worst` or NAME_worst;
// it is created on first use.
uint32_t worst_of(Typed& typed, const ast::SpanAction& node);

}  // namespace lt
