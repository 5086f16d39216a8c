// Finds the exits in a function's machine code by following its control flow: the locations for breakpoints or uprobes
// that see each return. Anything that could hide a return is an error or a tail jump, never ignored.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace lt {

// Addresses of instructions, ascending. A function with tail jumps has exits that breakpoints on its returns miss.
struct Exits {
    std::vector<uint64_t> returns;     // the instruction, or a jump to a return thunk
    std::vector<uint64_t> tail_jumps;  // any other way out: jumps to elsewhere or to its own entry, a return of an
                                       // interrupt, falling off the end
    // Those of tail_jumps that always leave for another function: a probe on the jump sees each of them.
    std::vector<uint64_t> plain_jumps = {};
    // The first instruction that each call passes exactly once: after the stack size check, if there is one
    // (FunctionCode::growers).
    uint64_t entry = 0;
    bool entry_repeats = false;  // something else jumps to `entry`, too
    uint64_t check = 0;  // the branch before it that is not taken there (arch::Instruction::checks_stack), and that
                         // nothing jumps to; 0: there is none
};

// `bytes` is the whole function, as it is in memory at `address`; padding after its end is harmless.
struct FunctionCode {
    std::span<const uint8_t> bytes;
    uint64_t address = 0;
    std::span<const uint64_t> return_thunks = {};  // of the kernel (arch::Architecture::return_thunks)
    std::span<const uint64_t> growers = {};        // functions that grow the stack, after which their caller starts
                                                   // again: Go's morestack
    // Reads constants next to the code, of 4 or 8 bytes, for jump tables. Without it, an indirect jump is an error.
    std::function<std::optional<uint64_t>(uint64_t address, unsigned size)> constant = {};
};
// Also follows blocks that nothing seems to jump to: exception tables and static keys can lead there.
Result<Exits> find_exits(const FunctionCode& code);

// Only Exits::entry, for when the rest of the function cannot be decoded.
uint64_t find_entry(const FunctionCode& code);

}  // namespace lt
