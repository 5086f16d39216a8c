// Names of flags, as the kernel itself prints them: the format of a tracepoint says which bits have which name in this
// kernel, since they differ from one to another.
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

// Those of the first __print_flags() in a tracepoint's format, in its order; what is no constant is left out.
std::vector<FlagName> flag_names(std::string_view format);

// "GFP_KERNEL|__GFP_ZERO"; what has no name as a hexadecimal number, 0 as none.
std::string flags_text(uint64_t bits, const std::vector<FlagName>& names);

// Of allocations, by the format of kmem:kmalloc here.
std::string gfp_flags_text(uint64_t bits);

}  // namespace lt
