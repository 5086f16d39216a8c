// What blocks that lt runs have collected into a per-CPU map. A program in the kernel would write to the part of its
// CPU; lt has a part of its own, which is folded with theirs, so that nobody else writes where it does.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/decode.h"
#include "runtime/plan.h"

namespace lt {

class HostParts {
  public:
    explicit HostParts(const PlannedMap& map) : size_(padded_size(map.value_size)), scalar_(map.key.empty()) {}

    // The part of a key, to be written to until settle(); empty where there is none and none is to be made, or no room.
    std::span<uint8_t> part(const Bytes& key, bool make, size_t most);

    // Adds the parts to what the kernel has; `kernel_size` is that of its values.
    void join(std::vector<RawEntry>& entries, size_t kernel_size) const;
    // The same for one key; none where neither has it.
    std::optional<Bytes> join(const Bytes& key, std::optional<Bytes> value, size_t kernel_size) const;

    void erase(const Bytes& key);
    void clear();
    void zero();
    void settle() { retired_.clear(); }

  private:
    size_t size_;
    bool scalar_;
    std::map<Bytes, Bytes> parts_;
    std::vector<Bytes> retired_;  // taken out, but a block may still write to them
};

}  // namespace lt
