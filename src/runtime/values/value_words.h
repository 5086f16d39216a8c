// A map's value as words of 8 bytes, and how two of the same map are merged: those of two CPUs, or of two generations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/border/layouts/series.h"
#include "runtime/border/plan.h"

namespace lt {

class ValueWords {
  public:
    explicit ValueWords(const PlannedMap& map);

    // Merges each copy in `more` into that of the same CPU in `into`; copies that only one of them has are ignored.
    void join(std::span<uint8_t> into, std::span<const uint8_t> more) const;
    // The size of one value in bytes; in a per-CPU map including the kernel's padding.
    size_t copy_size() const { return copy_size_; }
    // Folds all copies of a per-CPU value into one; a value that is not per-CPU is copied. `into` has copy_size()
    // bytes.
    void fold(std::span<uint8_t> into, std::span<const uint8_t> copies) const;
    // Did a sum of folded values overflow 64 bits?
    bool has_overflowed() const { return overflowed_; }

  private:
    // `low`: the low word of a two-word number, whose sum carries into the next. `total`: signed, `whole`: unsigned;
    // for both an overflow is recorded.
    enum class Rule : uint8_t { sum, total, whole, largest, low, first };
    static Rule rule_of(const Type& type, size_t word);
    void join_copy(std::span<uint8_t> into, std::span<const uint8_t> one) const;
    void join_series(std::span<uint8_t> into, std::span<const uint8_t> one) const;

    bool per_cpu_, is_signed_;
    mutable bool overflowed_ = false;
    size_t copy_size_;
    std::vector<Rule> rules_;            // by word
    std::optional<SeriesShape> series_;  // of tseries(), whose words belong together
};

}  // namespace lt
