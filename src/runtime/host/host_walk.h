// A map's entries for a block that lt runs: values folded into the layout of one CPU, keys in sorted order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/border/host_calls.h"
#include "runtime/border/plan.h"
#include "runtime/values/decode.h"

namespace lt {

// Folds the copies of a per-CPU value into one; other values are returned unchanged.
Bytes fold_bytes(const PlannedMap& map, std::span<const uint8_t> copies);

// Selects entries for a WalkOrder: the parts of `key` whose bits are set in `parts` must match.
struct Chosen {
    WalkOrder order;
    uint64_t most = UINT64_MAX;
    Bytes key;
    uint64_t parts = 0;
};
// Each entry's key followed by its folded value; scalars that were never written are skipped.
Result<std::vector<Bytes>> walk_entries(const PlannedMap& map, std::span<const RawEntry> entries, const Chosen& chosen);

}  // namespace lt
