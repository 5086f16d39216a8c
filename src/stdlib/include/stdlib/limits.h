// How long strings may be.
#pragma once

#include <cstdint>

namespace lt {

// Bytes of a string, with the one that ends it. The kernel sets no limit of its own: a value of this size still fits
// the ring buffer many times.
constexpr uint32_t most_string_bytes = 65536;

}  // namespace lt
