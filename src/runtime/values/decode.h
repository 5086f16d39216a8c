// Turns bytes of maps and events into values, in the layout of the plan. Needs no kernel: the test interpreter's maps
// are read by the same code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/values/value.h"

namespace lt {

using Bytes = std::vector<uint8_t>;

// Key and value as returned by bpf(BPF_MAP_LOOKUP_ELEM): a per-CPU map's value is one copy per possible CPU, each
// padded to 8 bytes.
struct RawEntry {
    Bytes key;
    Bytes value;
};

// Is this the size of a map's values, for all CPUs?
Status copies_fit(const PlannedMap& map, size_t bytes);

// A key by the types of its parts, and one value, folded over the CPUs.
Result<MapEntry> decode_entry(const std::vector<Type>& key_types, std::span<const uint8_t> key, const Type& type,
                              std::span<const uint8_t> value);

// The parts of a key.
Result<std::vector<Value>> decode_key(const std::vector<Type>& types, std::span<const uint8_t> bytes);

struct Event {
    uint32_t index = 0;  // into Plan::events
    std::vector<Value> values;
};
// Does not fill in percentiles: they are not in the record.
Result<Event> decode_event(const Plan& plan, std::span<const uint8_t> record);

// The key of a field that is a percentile.
Result<std::span<const uint8_t>> percentile_key(const Plan& plan, const EventField& field,
                                                std::span<const uint8_t> record);

}  // namespace lt
