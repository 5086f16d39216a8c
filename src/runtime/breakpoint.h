// Hardware execution breakpoints on kernel code, one per address and CPU, as perf events: the way to trace a function
// on which the kernel allows neither kprobe nor fentry. The processor raises them before the instruction is executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// What an x86-64 processor has. One goes to the function's entry, the rest to its returns.
inline constexpr size_t debug_registers = 4;
inline constexpr size_t most_breakpoint_returns = debug_registers - 1;

// A perf event that fires each time `cpu` comes to `address`, not yet enabled; the caller closes it.
Result<int> open_kernel_breakpoint(uint64_t address, int cpu);

// The CPUs that run at the moment, ascending.
Result<std::vector<int>> online_cpus();

// The kernel's list format: "0-3,5", with or without a newline.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

}  // namespace lt
