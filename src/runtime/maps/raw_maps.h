// The plan's maps at the system call level: raw bytes. This is an interface because tests run without a kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/values/decode.h"

namespace lt {

class LoadedObject;

using KeyBytes = std::span<const uint8_t>;

// Maps by their index in Plan::maps. The key of an array is empty, here and in entries, except for an array with
// generations, where the key is the generation. A per-CPU value holds the values of all possible CPUs, each padded to 8
// bytes.
class RawMaps {
  public:
    virtual ~RawMaps() = default;

    virtual size_t value_size(size_t map) const = 0;
    using Take = std::function<void(KeyBytes key, std::span<const uint8_t> value)>;
    virtual Status each(size_t map, const Take& take) = 0;
    Result<std::vector<RawEntry>> entries(size_t map);  // all of them
    virtual Result<std::optional<Bytes>> lookup(size_t map, KeyBytes key) = 0;
    // Return 0 or a negative errno.
    virtual int update(size_t map, KeyBytes key, std::span<const uint8_t> value, uint64_t flags) = 0;
    virtual int erase(size_t map, KeyBytes key) = 0;
    virtual std::optional<Bytes> take(size_t map, KeyBytes key) = 0;  // looks up and deletes
    virtual Status clear(size_t map) = 0;                             // of a hash: removes all keys
    virtual std::vector<uint64_t> left_out() const { return {}; }     // by gate of the plan
    // Returns once every program that runs now has ended, so that what it adds can be seen. Programs that begin in the
    // meantime do not matter.
    virtual Status wait_for_programs() = 0;
    // Switches programs to this generation and returns once none uses the other one. `which`: see
    // PlannedMap::generation.
    virtual Status set_generation(uint32_t which, uint64_t generation) = 0;
    // The only value of an array, shared with programs in the kernel; empty if it cannot be mapped.
    virtual std::span<uint8_t> memory(size_t map) = 0;
};

// `plan` and `object` must outlive it.
Result<std::unique_ptr<RawMaps>> kernel_maps(const Plan& plan, const LoadedObject& object);

}  // namespace lt
