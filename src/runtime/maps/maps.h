// The plan's maps during a session, as reports see them: read whole, cleared or zeroed, including what blocks that lt
// runs have collected.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/maps/differences.h"
#include "runtime/maps/generations.h"
#include "runtime/maps/host_parts.h"
#include "runtime/maps/kernel_generations.h"
#include "runtime/maps/raw_maps.h"
#include "runtime/values/decode.h"
#include "runtime/values/value.h"

namespace lt {

class Maps {
  public:
    // `plan` must outlive it.
    Maps(const Plan& plan, std::unique_ptr<RawMaps> raw);

    size_t size() const { return plan_.maps.size(); }
    Result<MapContent> read(size_t index);
    // A sum over all CPUs did not fit into 64 bits when it was read.
    bool has_overflowed(size_t index) const { return overflowed_[index]; }
    // Values for which reports had no room; the kernel counts others itself.
    uint64_t not_kept(size_t index) const { return generations_[index] ? generations_[index]->not_kept() : 0; }
    Result<MapContent> find(size_t index, KeyBytes key);  // one key, if it exists
    // Removes all keys; a scalar is as if never written. `printed`: keep what was added since the last read(), if the
    // map is cleared by difference or has generations.
    Status clear(size_t index, bool printed);
    Status zero(size_t index, bool printed);                        // the keys stay, their values become zero
    uint64_t clears(size_t index) const { return clears_[index]; }  // number of clear() and zero() calls
    std::set<size_t> cleared_after_reading() const;                 // by a block, as far as the plan says so
    // Is the next clear() about what was read last, or about everything that is there? Returns what was so before.
    bool set_reported(size_t index, bool reported);

    // The undecoded bytes of read() and find().
    Result<std::vector<RawEntry>> entries(size_t index, bool reported = true);  // false: clear() ignores this read
    Result<std::optional<Bytes>> entry(size_t index, const Bytes& key);
    int erase(size_t index, KeyBytes key);  // returns 0 or a negative errno

    // This probe has no more events.
    void detached(size_t probe);
    uint64_t left_out(size_t probe) const;  // by its gate; 0 without one
    uint64_t openings_left_out(uint32_t span) const;

    RawMaps& raw() { return *raw_; }
    // For a per-CPU map of a plan with blocks that lt runs; else null.
    HostParts* parts(size_t index) { return parts_[index] ? &*parts_[index] : nullptr; }

  private:
    bool is_plain(size_t index) const;
    Result<MapContent> content(size_t index);
    Result<std::vector<RawEntry>> all(size_t index);
    Result<std::optional<std::vector<RawEntry>>> all_unless(size_t index, bool printed);
    Status take_out(size_t index, const std::vector<Bytes>& idle);
    std::optional<Bytes> remove(size_t index, const Bytes& key);

    // The probes that feed a map, and the state of their sampling.
    struct Sampling {
        std::vector<size_t> probes;
        uint64_t before = 0;  // left out before the map was last emptied
        bool detached = false;
    };
    static std::vector<Sampling> sampling_of(const Plan& plan);
    std::optional<Sampled> sampled(size_t index) const;
    void begin_anew(size_t index);

    const Plan& plan_;
    std::vector<Sampling> sampling_;  // indexed like Plan::maps
    std::unique_ptr<RawMaps> raw_;
    std::vector<bool> cleared_when_printed_;  // indexed like Plan::maps: a block clears what it has printed or read
    std::vector<Differences> past_;           // indexed like Plan::maps
    std::vector<uint64_t> clears_;            // likewise
    std::vector<std::optional<KernelGenerations>> kernel_;  // likewise: of maps that are cleared by difference
    std::vector<std::optional<Generations>> generations_;   // likewise: of other maps
    std::vector<std::optional<HostParts>> parts_;           // likewise
    std::vector<bool> overflowed_;                          // likewise
};

}  // namespace lt
