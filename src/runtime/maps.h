// The plan's maps while a session runs, as reports see them: read whole, cleared or zeroed; what blocks that lt runs
// have collected is in them, too.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "differences.h"
#include "generations.h"
#include "host_parts.h"
#include "raw_maps.h"
#include "runtime/decode.h"
#include "runtime/plan.h"
#include "runtime/value.h"

namespace lt {

class Maps {
  public:
    // `plan` outlives it.
    Maps(const Plan& plan, std::unique_ptr<RawMaps> raw);

    size_t size() const { return plan_.maps.size(); }
    Result<MapContent> read(size_t index);
    Result<MapContent> find(size_t index, KeyBytes key);  // of one key, if it is there
    // No keys left; a scalar as if never written. `printed`: without what has come since read() was last called, where
    // the map is one that is cleared by difference.
    Status clear(size_t index, bool printed);
    Status zero(size_t index, bool printed);                        // the keys stay, their values become zero
    uint64_t clears(size_t index) const { return clears_[index]; }  // how often one of both was done
    // A clear() that comes now is about all that is there, and not about what was read before.
    void forget_report(size_t index) { past_[index].forget_report(); }

    // The bytes of read() and find(), before they are decoded.
    Result<std::vector<RawEntry>> entries(size_t index, bool reported = true);  // false: clear() is not to know of it
    Result<std::optional<Bytes>> entry(size_t index, const Bytes& key);
    int erase(size_t index, KeyBytes key);  // 0 or a negative errno

    // No event of this probe comes any more.
    void detached(size_t probe);
    uint64_t left_out(size_t probe) const;  // by its gate; 0 where it has none
    uint64_t openings_left_out(uint32_t span) const;

    RawMaps& raw() { return *raw_; }
    // Of a per-CPU map, where the plan has blocks that lt runs; else null.
    HostParts* parts(size_t index) { return parts_[index] ? &*parts_[index] : nullptr; }

  private:
    bool is_plain(size_t index) const;
    Result<MapContent> content(size_t index);
    Result<std::vector<RawEntry>> all(size_t index);
    Result<std::optional<std::vector<RawEntry>>> all_unless(size_t index, bool printed);
    std::optional<Bytes> remove(size_t index, const Bytes& key);

    // The probes whose events end up in a map, and what is known of their sampling.
    struct Sampling {
        std::vector<size_t> probes;
        uint64_t before = 0;  // left out before the map was last emptied
        bool detached = false;
    };
    static std::vector<Sampling> sampling_of(const Plan& plan);
    std::optional<Sampled> sampled(size_t index) const;
    void begin_anew(size_t index);

    const Plan& plan_;
    std::vector<Sampling> sampling_;  // indexed as Plan::maps
    std::unique_ptr<RawMaps> raw_;
    std::vector<bool> cleared_when_printed_;               // indexed as Plan::maps: by a block, right behind print()
    std::vector<Differences> past_;                        // indexed as Plan::maps
    std::vector<uint64_t> clears_;                         // likewise
    std::vector<std::optional<Generations>> generations_;  // likewise
    std::vector<std::optional<HostParts>> parts_;          // likewise
};

}  // namespace lt
