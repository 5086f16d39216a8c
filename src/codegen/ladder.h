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

// What is to be attached.
struct Climb {
    ProbeKind kind = ProbeKind::kprobe;  // as asked for: fentry and fexit have one rung only
    bool both_ends = false;              // a span: at the entry and at the return
    bool many = false;                   // one program for several functions
};

std::vector<Rung> ladder(Kernel& kernel, const KernelFunction& function, const Climb& climb,
                         std::span<const RuledOut> ruled_out);

// For functions of a program.
std::vector<Rung> ladder(Kernel& kernel, const UserFunction& function, const Climb& climb,
                         std::span<const RuledOut> ruled_out);

bool any_open(std::span<const Rung> rungs);

}  // namespace lt
