// The debug information about one instruction of a program: the function around it, its variables, and where they are
// at that point.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stdlib/types.h"

namespace lt {

// One step in computing the location of a variable, on a stack of 64-bit numbers.
struct LocationStep {
    enum class Op : uint8_t {
        constant,  // pushes `number`
        saved,     // pushes a register: `number` is its offset in struct pt_regs
        code,      // pushes the address `number` bytes after the instruction
        fetch,     // takes an address, pushes the `number` bytes there as an unsigned integer
        copy,      // pushes a copy of the element `number` below the top
        drop,      // takes one
        swap,      // exchanges the top two
        add,       // these take two and push the result of the lower and the upper one
        subtract,
        multiply,
        bit_and,
        bit_or,
        bit_xor,
        shift_left,
        shift_right,
        shift_right_signed,
    };
    Op op = Op::constant;
    int64_t number = 0;
    bool operator==(const LocationStep&) const = default;
};

struct ProgramVariable {
    std::string name;
    Type type;               // kind none: not readable, `missing` says why
    std::string c_type;      // in C
    bool parameter = false;  // of the function
    std::vector<LocationStep> steps;
    bool is_value = false;  // the steps give its value; else its address
    uint32_t words = 1;     // of a value: how many numbers, one per 8 bytes of a structure; the lowest address first
    std::string missing;    // why it is not readable here, as the end of a sentence; empty: it is
};

struct ProgramScope {
    std::string function;                    // may be empty
    bool at_entry = false;                   // this is the function's first instruction
    std::vector<ProgramVariable> variables;  // parameters first; each name once, from the innermost block
    Type result;                             // kind none: nothing, or not in a register
    std::string c_result;                    // "void", "double"
};

}  // namespace lt
