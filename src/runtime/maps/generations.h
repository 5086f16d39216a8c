// A map that can be cleared between two updates although its values cannot be subtracted: a report takes out what
// programs have collected, and it stays here until the next clear(). So each update is in exactly one report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/maps/kernel_generations.h"
#include "runtime/maps/raw_maps.h"
#include "runtime/values/decode.h"
#include "runtime/values/value_words.h"

namespace lt {

class Generations {
  public:
    // Both must outlive it. `index`: of the map in the plan, which has a generation.
    Generations(const PlannedMap& map, size_t index, RawMaps& raw) : map_(map), words_(map), kernel_(map, index, raw) {}

    // Everything since the last clear(). `reported`: a clear() that follows is about this result.
    Result<std::vector<RawEntry>> since(bool reported);
    // The same for one key; nothing if it had no updates.
    Result<std::optional<Bytes>> rest(const Bytes& key);
    // Is the next clear() about the result of the last since()? Returns what was so before.
    bool set_asked(bool asked) { return std::exchange(asked_, asked); }
    // Everything that is there now no longer counts; `printed`: only the result of the last since(), if there was one.
    Status clear(bool printed);
    // The same, but the existing keys stay, with zero; idle ones only as far as the map has room.
    Status zero(bool printed);
    // Values that are in no report because there were too many keys since the last clear().
    uint64_t not_kept() const { return not_kept_; }

  private:
    using Values = std::map<Bytes, Bytes>;  // by key, in the kernel's layout

    Result<uint64_t> take_out();
    Status settle(bool printed);
    void add(Values& to, const Bytes& key, const Bytes& value) const;

    const PlannedMap& map_;
    ValueWords words_;
    KernelGenerations kernel_;
    Values taken_;
    uint64_t not_kept_ = 0;
    bool asked_ = false;
};

}  // namespace lt
