// Reads kernel memory for blocks that lt runs: a BPF program reads each piece. It is loaded at the first read.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/os/descriptor.h"

namespace lt {

class KernelReader {
  public:
    // False: the kernel does not allow it, and `to` is unchanged.
    bool read(uint64_t address, std::span<uint8_t> to);

  private:
    bool load();
    bool read_piece(uint64_t address, std::span<uint8_t> to);

    Descriptor program_;
    bool tried_ = false;
};

}  // namespace lt
