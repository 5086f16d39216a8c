// Where the machine code of an x86-64 kernel function is left, found by following its control flow: the places for
// breakpoints that see each return. Anything that could make a return go unseen is an error or a tail jump, never
// silence.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lt {

// Addresses of instructions, ascending. A function with tail jumps is left in ways that breakpoints on its returns
// miss.
struct Exits {
    std::vector<uint64_t> returns;  // ret, or jmp to a return thunk
    std::vector<uint64_t>
        tail_jumps;  // any other way out: jumps to elsewhere or to the own entry, iret, falling off the end
};

// The kernel's symbols that stand for `ret` where a mitigation is on; which of them exist depends on the kernel.
inline constexpr std::array<std::string_view, 7> return_thunk_names{
    "__x86_return_thunk", "srso_return_thunk",       "srso_alias_return_thunk", "retbleed_return_thunk",
    "zen_return_thunk",   "call_depth_return_thunk", "its_return_thunk",
};

// `code` is all of the function, as it lies in memory at `address`; padding after its end does no harm.
// Blocks that nothing seems to jump to are followed as well: exception tables and static keys can lead there.
Result<Exits> find_exits(std::span<const uint8_t> code, uint64_t address, std::span<const uint64_t> return_thunks);

}  // namespace lt
