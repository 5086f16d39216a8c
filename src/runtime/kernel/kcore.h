// The running kernel's memory through /proc/kcore: an ELF core file whose segments are the kernel's address ranges.
// This reads code as it really is, after the kernel has patched itself. The file is not trusted to be well-formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace lt {

// The `size` bytes at `address`, which must lie in one segment; never returns fewer.
Result<std::vector<uint8_t>> read_kernel_memory(uint64_t address, size_t size, const std::string& path = "/proc/kcore");

}  // namespace lt
