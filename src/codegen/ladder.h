// The ladder of ways to attach a kernel function, cheapest first. Each rung that cannot be taken says why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codegen/compile.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"
#include "stdlib/probes.h"

namespace lt {

// `kind` is what the user asked for: fentry and fexit have one rung only. `uses_entry`/`uses_return`: which ends are
// needed.
std::vector<Rung> ladder(Kernel& kernel, const KernelFunction& function, ProbeKind kind,
                         std::span<const RuledOut> ruled_out);

bool any_open(std::span<const Rung> rungs);

}  // namespace lt
