// Looks a function up in a file of BTF without reading all types into memory, for a run that asks for nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lt {

// Its type number, 0 if the bytes have no such function, or are not BTF of this byte order.
uint32_t function_in_btf(std::span<const uint8_t> bytes, std::string_view name);
uint32_t function_in_btf(const std::string& path, std::string_view name);

}  // namespace lt
