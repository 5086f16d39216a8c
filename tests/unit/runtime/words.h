// Keys and values of one word.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "runtime/values/decode.h"

namespace lt {

inline Bytes word(uint64_t number) {
    Bytes bytes(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

inline uint64_t number(std::span<const uint8_t> bytes) {
    uint64_t out = 0;
    std::memcpy(&out, bytes.data(), sizeof out);
    return out;
}

}  // namespace lt
