// Takes the entries of a map as the kernel gives them, and keeps of each its key and one value, folded over the CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/decode.h"
#include "runtime/plan.h"
#include "runtime/value.h"
#include "value_words.h"

namespace lt {

// Rows of bytes, all of one size. They lie in pieces, so that none is copied when more come.
class Rows {
  public:
    explicit Rows(size_t row) : row_(row), in_piece_(row < most_bytes ? most_bytes / (row + 1) : 1) {}
    std::span<uint8_t> add();
    std::span<const uint8_t> operator[](size_t index) const;
    size_t size() const { return size_; }
    size_t row() const { return row_; }

  private:
    static constexpr size_t most_bytes = 256 * 1024;  // of a piece with more than one row
    size_t row_;
    size_t in_piece_;
    size_t size_ = 0;
    std::vector<Bytes> pieces_;
};

class MapReader {
  public:
    explicit MapReader(const PlannedMap& map);  // which outlives it

    // Both as in RawEntry. Scalars that were never written are left out.
    Status add(std::span<const uint8_t> key, std::span<const uint8_t> value);
    Result<MapContent> content() &&;

  private:
    const PlannedMap& map_;
    ValueWords words_;
    Bytes folded_;
    std::optional<Rows> rows_;
};

}  // namespace lt
