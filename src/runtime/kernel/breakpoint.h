// Hardware execution breakpoints on kernel code, one per address and CPU, as perf events. They trace functions on which
// the kernel allows neither kprobe nor fentry. The processor raises them before it executes the instruction.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace lt {

// A disabled perf event that fires each time `cpu` reaches `address`; the caller closes it.
Result<int> open_kernel_breakpoint(uint64_t address, int cpu);

}  // namespace lt
