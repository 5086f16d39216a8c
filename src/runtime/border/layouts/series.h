// The layout of what tseries() collects: a number for each of the last intervals. Each CPU has three words for each of
// `count` intervals; intervals that are `count` apart share a slot: u64 interval number by the monotonic clock, and 1;
// u64 value; u64 extra, zero while there is no value.
//   last        value: the last one; extra: its time
//   avg, sum    value: the sum; extra: their number
//   max, min    value: as max() and min() keep it (order_flip); extra: 1
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "stdlib/types.h"

namespace lt {

enum class SeriesOf : uint8_t { last, avg, max, min, sum };
constexpr std::array<std::string_view, 5> series_names{"last", "avg", "max", "min", "sum"};

constexpr uint32_t series_words = 3;
constexpr uint64_t series_busy = ~uint64_t{0};  // in place of the interval number, while the other words are cleared
constexpr int64_t most_series = 1000;

// The three numbers of the type's shape.
struct SeriesShape {
    int64_t interval;  // nanoseconds
    int64_t count;
    SeriesOf of;
};
inline bool is_series(const Type& type) {
    if (!type.shape || type.shape->buckets.size() != 3) return false;
    const auto& b = type.shape->buckets;
    return b[0] > 0 && b[1] > 0 && b[1] <= most_series && b[2] >= 0 && b[2] <= static_cast<int64_t>(SeriesOf::sum);
}
inline SeriesShape series_shape(const Type& type) {
    const auto& b = type.shape->buckets;
    return {b[0], b[1], static_cast<SeriesOf>(b[2])};
}
inline uint32_t series_size(const Type& type) {  // in words
    return series_words * static_cast<uint32_t>(series_shape(type).count);
}
constexpr Aggregation series_order(SeriesOf of) { return of == SeriesOf::min ? Aggregation::min : Aggregation::max; }

}  // namespace lt
