// Data that blocks that lt runs have collected into a per-CPU map. A program in the kernel writes to the part of its
// CPU; lt has its own part, which is folded with theirs, so that only lt writes to it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/values/decode.h"

namespace lt {

class HostParts {
  public:
    explicit HostParts(const PlannedMap& map) : size_(padded_size(map.value_size)), scalar_(map.key.empty()) {}

    // The part of a key, writable until settle(); empty if there is none and it is not to be created, or if there is no
    // room.
    std::span<uint8_t> part(const Bytes& key, bool make, size_t most);

    // Adds the parts to the kernel's entries; `kernel_size` is the size of the kernel's values.
    void join(std::vector<RawEntry>& entries, size_t kernel_size) const;
    // The same for one key; nothing if neither has it.
    std::optional<Bytes> join(const Bytes& key, std::optional<Bytes> value, size_t kernel_size) const;

    void erase(const Bytes& key);
    void clear();
    void zero();
    void settle() { retired_.clear(); }

  private:
    size_t size_;
    bool scalar_;
    std::map<Bytes, Bytes> parts_;
    std::vector<Bytes> retired_;  // removed, but a block may still write to them
};

}  // namespace lt
