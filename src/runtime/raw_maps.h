// The plan's maps as system calls see them: bytes by bytes. Behind an interface, since tests have no kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/decode.h"
#include "runtime/plan.h"

namespace lt {

class LoadedObject;

using KeyBytes = std::span<const uint8_t>;

constexpr bool is_array(MapShape shape) { return shape == MapShape::array || shape == MapShape::per_cpu_array; }
constexpr bool is_per_cpu(MapShape shape) {
    return shape == MapShape::per_cpu_array || shape == MapShape::per_cpu_hash;
}

// Maps by their index in Plan::maps. The key of an array is empty, here and in entries, but for one with generations,
// of which it is the index; a per-CPU value is those of all possible CPUs, each padded to 8 bytes.
class RawMaps {
  public:
    virtual ~RawMaps() = default;

    virtual size_t value_size(size_t map) const = 0;
    using Take = std::function<void(KeyBytes key, std::span<const uint8_t> value)>;
    virtual Status each(size_t map, const Take& take) = 0;
    Result<std::vector<RawEntry>> entries(size_t map);  // all of them
    virtual Result<std::optional<Bytes>> lookup(size_t map, KeyBytes key) = 0;
    // 0 or a negative errno.
    virtual int update(size_t map, KeyBytes key, std::span<const uint8_t> value, uint64_t flags) = 0;
    virtual int erase(size_t map, KeyBytes key) = 0;
    virtual std::optional<Bytes> take(size_t map, KeyBytes key) = 0;  // lookup and erase in one
    virtual Status clear(size_t map) = 0;                             // of a hash: no keys left
    virtual std::vector<uint64_t> left_out() const { return {}; }     // by each gate of the plan
    // Programs collect into this generation, and none is at work in the other one any more. `which`: as
    // PlannedMap::generation.
    virtual Status set_generation(uint32_t which, uint64_t generation) = 0;
    // The one value of an array that programs in the kernel write, too; empty where it cannot be had.
    virtual std::span<uint8_t> memory(size_t map) = 0;
};

// `plan` and `object` outlive it.
Result<std::unique_ptr<RawMaps>> kernel_maps(const Plan& plan, const LoadedObject& object);

}  // namespace lt
