// The positions of a C function's arguments at its first instruction, according to the calling convention.
#pragma once

#include <cstdint>
#include <span>

namespace lt::arch {

// A value of at most this many bytes may be passed in registers, at most two.
inline constexpr uint64_t most_in_registers = 16;

// A number or an address in an argument: the whole argument, or a member of a structure.
struct Scalar {
    uint64_t offset;        // in the argument, bytes; not significant from most_in_registers on
    uint64_t size;          // bytes
    bool vector;            // floating point or a vector
    bool extended = false;  // long double: arguments with it lie in memory, results in registers of their own
};

// How an argument is passed if there are enough registers.
struct Shape {
    uint32_t words = 1;    // 8 bytes each
    uint32_t general = 1;  // how many of them in general registers
    uint32_t vector = 0;   // how many in floating-point registers
    bool on_stack = false;
    bool aligned = false;    // on the stack, aligned to two words
    bool in_memory = false;  // also as a result: the caller passes the address for it
};

// The shape of an argument of `size` bytes that contains these scalars.
Shape shape_of(uint64_t size, std::span<const Scalar> scalars);

struct Position {
    bool in_registers;
    uint32_t first;  // its first general register; on the stack: its word above the return address; from 0
};

// Computes the positions of arguments in order.
class ArgumentPositions {
  public:
    // `hidden_result`: does the caller pass the result's address first, because the result is too large for registers?
    explicit ArgumentPositions(bool hidden_result);

    Position next(const Shape& shape);

  private:
    uint32_t general_ = 0;  // registers used so far
    uint32_t vector_ = 0;
    uint32_t stack_ = 0;  // words
};

}  // namespace lt::arch
