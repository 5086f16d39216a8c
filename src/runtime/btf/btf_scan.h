// Finds types by name in bytes of BTF in one pass, without a table of all types, for what asks for a few.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace lt {

// BTF_KIND_*, and the name.
struct BtfName {
    uint32_t kind = 0;
    std::string name;
    auto operator<=>(const BtfName&) const = default;
};

// Sets the number of each name to that of the first type that has it; 0: there is none. Bytes that are not BTF of this
// byte order have none.
void number_types(std::span<const uint8_t> bytes, std::map<BtfName, uint32_t>& names);

// The number of a function; 0: there is none.
uint32_t function_in_btf(std::span<const uint8_t> bytes, std::string_view name);
uint32_t function_in_btf(const std::string& path, std::string_view name);

}  // namespace lt
