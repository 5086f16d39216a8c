// Jump tables of switches: finds the one that an indirect jump uses, from the instructions before it, and reads its
// targets inside the function.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "arch/decoder.h"

namespace lt {

using arch::DataUse;

// `recent`: the instructions up to the jump, the last one first. `taken`: the addresses that the function computes from
// the program counter alone. `is_inner`: is an address inside the function, after its first instruction? Empty if the
// jump is not known to use such a table.
std::vector<uint64_t> table_targets(std::span<const DataUse> recent, std::span<const DataUse> taken,
                                    const std::function<std::optional<uint64_t>(uint64_t, unsigned)>& constant,
                                    const std::function<bool(uint64_t)>& is_inner);

}  // namespace lt
