// A map that is cleared between two updates although what it holds does not add up: programs collect into one of two
// generations. A report makes them collect into the other one, waits until nobody is at work in the old one any more,
// and takes that out; what it has taken out stays here until the next clear(). So each update is in one report and in
// no other.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "raw_maps.h"
#include "runtime/decode.h"
#include "runtime/plan.h"
#include "value_words.h"

namespace lt {

class Generations {
  public:
    // Both outlive it. `index`: of the map in the plan, which has a generation.
    Generations(const PlannedMap& map, size_t index, RawMaps& raw) : map_(map), words_(map), index_(index), raw_(raw) {}

    // All that has come since the last clear(). `reported`: a clear() that follows is about this.
    Result<std::vector<RawEntry>> since(bool reported);
    // The same of one key; none where nothing has come.
    Result<std::optional<Bytes>> rest(const Bytes& key);
    // What since() was last asked about, or, if it was not, what there is now, counts no more.
    Status clear();
    // The same, but the keys that were there stay, with zero.
    Status zero();

  private:
    using Values = std::map<Bytes, Bytes>;  // by key, as the kernel keeps them

    Status take_out();
    Status settle();
    void add(Values& to, const Bytes& key, const Bytes& value) const;
    Bytes in_generation(const Bytes& key, uint64_t generation) const;
    bool is_of(const Bytes& raw_key, uint64_t generation) const;
    Bytes own_key(const Bytes& raw_key) const;

    const PlannedMap& map_;
    ValueWords words_;
    size_t index_;
    RawMaps& raw_;
    uint64_t generation_ = 0;
    Values taken_;
    bool asked_ = false;
};

}  // namespace lt
