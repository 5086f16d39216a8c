// What a program finds in its context, and in memory beside it, when a place is hit by one of the ways to attach.
#pragma once

#include "base/result.h"
#include "machine/scenario.h"
#include "machine/world/world.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"

namespace lt::machine {

// The context's bytes. Sets in `environment` what belongs to the hit: the number of arguments, those on the stack.
Result<Bytes> make_context(Kernel& kernel, Way way, const Attachment& attachment, const Hit& hit,
                           Environment& environment);

}  // namespace lt::machine
