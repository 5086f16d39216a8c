// Takes the entries of a map as the kernel returns them, and keeps for each its key and one value, folded over the
// CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/values/decode.h"
#include "runtime/values/value.h"
#include "runtime/values/value_words.h"

namespace lt {

// Rows of bytes, all of the same size. They are stored in chunks, so that adding rows copies nothing.
class Rows {
  public:
    explicit Rows(size_t row) : row_(row), in_piece_(row < most_bytes ? most_bytes / (row + 1) : 1) {}
    std::span<uint8_t> add();
    std::span<const uint8_t> operator[](size_t index) const;
    size_t size() const { return size_; }
    size_t row() const { return row_; }

  private:
    static constexpr size_t most_bytes = 256 * 1024;  // per chunk with more than one row
    size_t row_;
    size_t in_piece_;
    size_t size_ = 0;
    std::vector<Bytes> pieces_;
};

class MapReader {
  public:
    explicit MapReader(const PlannedMap& map);  // must outlive it

    // Key and value as in RawEntry. Scalars that were never written are skipped.
    Status add(std::span<const uint8_t> key, std::span<const uint8_t> value);
    Result<MapContent> content() &&;

  private:
    const PlannedMap& map_;
    ValueWords words_;
    Bytes folded_;
    std::optional<Rows> rows_;
};

// The entries of a map, with per-CPU values folded over the CPUs. Scalars that were never written are skipped.
Result<MapContent> decode_map(const PlannedMap& map, std::span<const RawEntry> entries);

}  // namespace lt
