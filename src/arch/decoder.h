// Decodes single instructions of the processor's machine code, for walks along a function's control flow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lt::arch {

// Where execution continues after an instruction.
enum class Flow : uint8_t {
    plain,          // the next instruction
    nop,            // likewise, but may be padding
    call,           // likewise, unless the callee never returns
    trap,           // likewise: the kernel resumes after the trap of a WARN, though not after that of a BUG
    branch,         // the next instruction or the target
    jump,           // the target
    indirect_jump,  // unknown
    ret,            // the caller
    leave,          // something other than the caller
    breakpoint,     // nothing: padding, or another tracer's work
};

// How an instruction uses an address; registers by the processor's numbers + 1, 0 for none.
struct DataUse {
    enum Kind : uint8_t {
        nothing,
        address,  // computes it
        offset,   // loads 4 bytes, sign-extended
        pointer,  // loads 8 bytes, or jumps to the address loaded
    } kind = nothing;
    unsigned to = 0;  // the destination register; 0: the program counter
    unsigned base = 0;
    int scale = 0;              // of the index; 0: no index
    uint64_t displacement = 0;  // includes the program counter if that is the base
};

struct Instruction {
    uint64_t address = 0;
    uint64_t end = 0;
    Flow flow = Flow::plain;
    uint64_t target = 0;  // for branch, jump and call
    DataUse data = {};
    bool checks_stack = false;  // the branch to Go's code that grows the stack
};

// The instruction at the start of `code`, whose address is `address`. Nothing: it cannot be decoded, or is cut off.
std::optional<Instruction> decode(std::span<const uint8_t> code, uint64_t address);

}  // namespace lt::arch
