// How long strings and arrays may be.
#pragma once

#include <cstdint>

namespace lt {

// Bytes of a string, including the one that ends it. The kernel sets no limit of its own: a value of this size still
// fits the ring buffer many times.
constexpr uint32_t most_string_bytes = 65536;

constexpr uint64_t most_array_bytes = uint64_t{1} << 30;

constexpr uint64_t most_in_line = 1024;  // bytes that programs process one after the other

}  // namespace lt
