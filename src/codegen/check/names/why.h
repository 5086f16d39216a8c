// `why`: where the time inside a span goes.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// Records that the body's span needs causes, with `whole` also the longest wait, and the parts of the kernel that
// report them. Returns false, after an error, if this span cannot have causes or the kernel does not report them.
bool why_record(CheckContext& c, Span where, bool whole);

// Warns if causes are coarser on this kernel than on others.
void coarser_causes(const Typed& typed, Diags& diags);

}  // namespace lt
