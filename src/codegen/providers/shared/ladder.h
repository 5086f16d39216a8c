// The ladder of methods to attach to a function, cheapest first. Each refused rung has the reason.
#pragma once

#include <span>
#include <vector>

#include "codegen/providers/shared/options.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
#include "stdlib/probes.h"

namespace lt {

// What to attach to.
struct Climb {
    ProbeKind kind = ProbeKind::kprobe;  // as in the script: fentry and fexit only have one rung
    bool both_ends = false;              // a span: at the entry and at the return
    bool many = false;                   // one program for several functions
    bool decoded = false;                // the returns of a program's function are found by decoding, not by replacing
    // the return address
    bool registers = false;  // the program's context must be the address of the registers
};

std::vector<Rung> ladder(Kernel& kernel, const KernelFunction& function, const Climb& climb,
                         std::span<const RuledOut> ruled_out);

// For functions of a program.
std::vector<Rung> ladder(Kernel& kernel, const UserFunction& function, const Climb& climb,
                         std::span<const RuledOut> ruled_out);

bool any_open(std::span<const Rung> rungs);

}  // namespace lt
