// The value of a map is words of 8 bytes. How two of the same map become one: those of two CPUs, or of two generations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/plan.h"
#include "runtime/series.h"

namespace lt {

class ValueWords {
  public:
    explicit ValueWords(const PlannedMap& map);

    // Each copy in `into` with that of the same CPU in `more`; what one of them does not have is left out.
    void join(std::span<uint8_t> into, std::span<const uint8_t> more) const;
    // One value, in bytes; of a per-CPU map as the kernel pads it.
    size_t copy_size() const { return copy_size_; }
    // One value of all the copies of a per-CPU value; what is no per-CPU value stays as it is. `into` has copy_size().
    void fold(std::span<uint8_t> into, std::span<const uint8_t> copies) const;

  private:
    // `low`: of a number of two words, whose sum carries into the next one.
    enum class Rule : uint8_t { sum, largest, low, first };
    static Rule rule_of(const Type& type, size_t word);
    void join_copy(std::span<uint8_t> into, std::span<const uint8_t> one) const;
    void join_series(std::span<uint8_t> into, std::span<const uint8_t> one) const;

    bool per_cpu_;
    size_t copy_size_;
    std::vector<Rule> rules_;            // by word
    std::optional<SeriesShape> series_;  // of tseries(), whose words belong together
};

}  // namespace lt
