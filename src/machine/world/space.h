// Memory that a program cannot touch by itself: the kernel's, and that of the process it runs in.
#pragma once

#include <map>
#include <span>
#include <string_view>

#include "machine/memory.h"

namespace lt::machine {

// Memory of the kernel or of a process as the probe_read helpers see it; blocks side by side read as one.
class Space {
  public:
    void put(Address at, Bytes bytes) { blocks_[at] = std::move(bytes); }
    void put(Address at, std::string_view text);  // with a terminating zero
    void clear() { blocks_.clear(); }
    bool read(Address at, std::span<uint8_t> out) const;  // false: a fault somewhere in it

  private:
    std::map<Address, Bytes> blocks_;
};

}  // namespace lt::machine
