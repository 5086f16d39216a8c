// Memory of the kernel for blocks that lt runs: a program of BPF reads it, which lt runs for each piece. It is loaded
// when something is read for the first time.
#pragma once

#include <cstdint>
#include <span>

#include "descriptor.h"

namespace lt {

class KernelReader {
  public:
    // False: the kernel does not let it be read, and nothing is in `to`.
    bool read(uint64_t address, std::span<uint8_t> to);

  private:
    bool load();
    bool read_piece(uint64_t address, std::span<uint8_t> to);

    Descriptor program_;
    bool tried_ = false;
};

}  // namespace lt
