// What the debug information of a program says of one of its instructions: the function around it, its variables, and
// where they lie just then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stdlib/types.h"

namespace lt {

// One step of the way from the registers to a variable, on a stack of 64-bit numbers.
struct LocationStep {
    enum class Op : uint8_t {
        constant,  // pushes `number`
        saved,     // pushes a register: `number` is its offset in struct pt_regs
        code,      // pushes the address that is `number` bytes behind the instruction
        fetch,     // takes an address, pushes the `number` bytes that lie there, as an unsigned integer
        copy,      // pushes a copy of what lies `number` below the top
        drop,      // takes one
        swap,      // exchanges the two on top
        add,       // these take two, and push what comes of the lower and the upper one
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
    Type type;               // kind none: it cannot be read, `missing` says why
    std::string c_type;      // as C spells it
    bool parameter = false;  // of the function
    std::vector<LocationStep> steps;
    bool is_value = false;  // they give its value; else its address
    uint32_t words = 1;     // of a value: so many numbers, one for each 8 bytes of a structure; the first lies lowest
    std::string missing;    // why it cannot be read here, as the end of a sentence about it; empty: it can
};

struct ProgramScope {
    std::string function;                    // may be empty
    bool at_entry = false;                   // is it the function's first instruction?
    std::vector<ProgramVariable> variables;  // parameters first; each name once, that of the innermost block
    Type result;                             // kind none: nothing, or none that a register holds
    std::string c_result;                    // "void", "double"
};

}  // namespace lt
