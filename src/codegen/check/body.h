#pragma once

#include "codegen/check/context.h"

namespace lt {

// Checks a body from scratch: finds the type of each expression and the meaning of each name, and merges what it
// learns into the program's maps and spans.
void check_body(CheckContext& c);

// Makes lt run the body, because the kernel cannot do what is at `where`. False with an error if lt cannot run it.
bool require_host(CheckContext& c, Span where);

}  // namespace lt
