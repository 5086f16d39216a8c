// Parameters: values that a script names, the command line sets and a running program reads again each time.
#pragma once

#include "base/diag.h"
#include "codegen/compile.h"

namespace lt {

void read_params(const ast::Program& program, const ResolveOptions& options, Typed& typed, Diags& diags);

// The parameter that holds the longest latency of a span with the threshold `worst`; made when first asked for:
// `worst`, or NAME_worst.
uint32_t worst_of(Typed& typed, const ast::SpanAction& node);

}  // namespace lt
