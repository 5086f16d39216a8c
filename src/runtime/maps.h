// The plan's maps while a session runs: read whole, cleared or zeroed, by the kernel's batch operations where it has
// them.
#pragma once

#include <bpf/bpf.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "differences.h"
#include "object.h"
#include "runtime/decode.h"
#include "runtime/plan.h"
#include "runtime/value.h"

namespace lt {

class Maps {
  public:
    // `object` outlives it.
    static Result<Maps> open(const Plan& plan, const LoadedObject& object);

    size_t size() const { return maps_.size(); }
    Result<MapContent> read(size_t index) const;
    Result<MapContent> find(size_t index, std::span<const uint8_t> key) const;  // of one key, if it is there
    // No keys left; a scalar as if never written. `printed`: without what has come since read() was last called, where
    // the map is one that is cleared by difference.
    Status clear(size_t index, bool printed) const;
    Status zero(size_t index) const;  // the keys stay, their values become zero

  private:
    struct Map {
        const PlannedMap* plan;
        int fd;
        size_t key_size;
        size_t value_size;  // as the kernel gives it: of all CPUs
    };
    explicit Maps(std::vector<Map> maps) : maps_(std::move(maps)), past_(maps_.size()) {}

    using Take = std::function<void(const uint8_t* key, const uint8_t* value)>;
    using BatchCall = decltype(&bpf_map_lookup_batch);
    std::optional<Bytes> remove(const Map& map, const Bytes& key) const;
    static Status each(const Map& map, const Take& take);
    static int each_batch(const Map& map, BatchCall call, const Take& take);
    static Status each_key(const Map& map, const Take& take);
    static Result<std::vector<RawEntry>> entries(const Map& map);
    static Status update(const Map& map, const uint8_t* key, const Bytes& value);

    std::vector<Map> maps_;
    mutable std::vector<Differences> past_;  // indexed as maps_
};

}  // namespace lt
