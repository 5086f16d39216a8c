// Names of flags as the kernel prints them. A tracepoint's format maps bits to names; they differ between kernels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lt {

struct FlagName {
    uint64_t bits = 0;
    std::string name;
    bool operator==(const FlagName&) const = default;
};

// The flags of the first __print_flags() in a tracepoint's format, in order; entries that are not constants are
// skipped.
std::vector<FlagName> flag_names(std::string_view format);

// "GFP_KERNEL|__GFP_ZERO"; unnamed bits as a hexadecimal number, 0 as "none".
std::string flags_text(uint64_t bits, const std::vector<FlagName>& names);

// Flags of allocations, by this machine's format of kmem:kmalloc.
std::string gfp_flags_text(uint64_t bits);

}  // namespace lt
