// The kernel's side of a map with generations (PlannedMap::generation): programs collect into one of two, and the other
// one is empty. A value is taken out when no program uses it any more, so that none is lost.
#pragma once

#include <optional>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/maps/raw_maps.h"
#include "runtime/values/decode.h"

namespace lt {

class KernelGenerations {
  public:
    // Both must outlive it. `index`: of the map in the plan.
    KernelGenerations(const PlannedMap& map, size_t index, RawMaps& raw) : map_(map), index_(index), raw_(raw) {}

    // The entries that programs have collected since the last take_out(), by the script's keys.
    Result<std::vector<RawEntry>> entries();
    Result<std::optional<Bytes>> lookup(const Bytes& key);  // the same for one key; nothing if it had no updates
    // The same, and it leaves the kernel's map: switches programs to the other generation and waits until none uses
    // this one, some 10 ms.
    Result<std::vector<RawEntry>> take_out();

  private:
    Result<std::vector<RawEntry>> entries_of(uint64_t generation);
    Bytes in_generation(const Bytes& key, uint64_t generation) const;

    const PlannedMap& map_;
    size_t index_;
    RawMaps& raw_;
    uint64_t generation_ = 0;
};

}  // namespace lt
