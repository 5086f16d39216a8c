// A map's entries for a block that lt runs: values folded over the CPUs in the layout of one CPU, keys in an order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/decode.h"
#include "runtime/host_calls.h"
#include "runtime/plan.h"

namespace lt {

// One value of all the copies of a per-CPU value; what is no per-CPU value stays as it is.
Bytes fold_bytes(const PlannedMap& map, std::span<const uint8_t> copies);

// Which entries, by the WalkOrder: `key` has those parts whose bits are set in `parts`.
struct Chosen {
    WalkOrder order;
    uint64_t most = UINT64_MAX;
    Bytes key;
    uint64_t parts = 0;
};
// Key and folded value of each entry one behind the other; scalars that were never written are left out.
Result<std::vector<Bytes>> walk_entries(const PlannedMap& map, std::span<const RawEntry> entries, const Chosen& chosen);

}  // namespace lt
