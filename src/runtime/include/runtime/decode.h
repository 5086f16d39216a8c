// Bytes of maps and events to values, as the plan says they lie. Needs no kernel: the test interpreter's maps are read
// by the same code.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "runtime/plan.h"
#include "runtime/value.h"

namespace lt {

using Bytes = std::vector<uint8_t>;

// Key and value as bpf(BPF_MAP_LOOKUP_ELEM) gives them: a per-CPU map's value is one copy per possible CPU, each padded
// to 8 bytes.
struct RawEntry {
    Bytes key;
    Bytes value;
};

// Can a map's values be read from so many bytes, those of all CPUs?
Status copies_fit(const PlannedMap& map, size_t bytes);

// A key by the types of its parts, and one value, folded over the CPUs.
Result<MapEntry> decode_entry(const std::vector<Type>& key_types, std::span<const uint8_t> key, const Type& type,
                              std::span<const uint8_t> value);

// The parts of a key.
Result<std::vector<Value>> decode_key(const std::vector<Type>& types, std::span<const uint8_t> bytes);

// Entries of a map; per-CPU values folded over the CPUs. Scalars that were never written are left out.
Result<MapContent> decode_map(const PlannedMap& map, std::span<const RawEntry> entries);

struct Event {
    uint32_t index = 0;  // into Plan::events
    std::vector<Value> values;
};
// A percentile is still missing: it is not in the record.
Result<Event> decode_event(const Plan& plan, std::span<const uint8_t> record);

// The key of a field that is a percentile.
Result<std::span<const uint8_t>> percentile_key(const Plan& plan, const EventField& field,
                                                std::span<const uint8_t> record);

}  // namespace lt
