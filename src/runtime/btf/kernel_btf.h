// The running kernel's types as bytes, read when they are first needed. Before Linux 6.16 they cannot be mapped and
// take about a millisecond, so all that load an object share one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "runtime/os/file_bytes.h"

namespace lt {

class KernelBtf {
  public:
    std::span<const uint8_t> bytes();  // empty: the kernel has none, or they cannot be read

  private:
    std::optional<Result<FileBytes>> file_;
};

}  // namespace lt
