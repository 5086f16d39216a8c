// The System V ABI for x86-64: parameter passing.
#include "arch/arguments.h"

#include <array>

#include "arch/arch.h"

namespace lt::arch {
namespace {

constexpr uint64_t word = 8;
constexpr uint32_t vector_registers = 8;

}  // namespace

// A word goes to a general register unless it contains only floating point.
Shape shape_of(uint64_t size, std::span<const Scalar> scalars) {
    constexpr uint64_t widest_float = 8;
    std::array<bool, most_in_registers / word> general{}, vector{};
    Shape out{static_cast<uint32_t>((size + word - 1) / word), 0, 0, size > most_in_registers};
    for (const Scalar& s : scalars) {
        if (out.on_stack) break;
        out.aligned = out.aligned || s.size >= 2 * word;
        out.on_stack = s.vector && s.size > widest_float;  // two words: long double
        for (uint64_t at = s.offset; at < s.offset + s.size && at < most_in_registers; at += word)
            (s.vector ? vector : general)[at / word] = true;
    }
    for (size_t i = 0; i < general.size(); i++) general[i] ? out.general++ : out.vector += vector[i];
    return out;
}

ArgumentPositions::ArgumentPositions(bool hidden_result) : general_(hidden_result ? 1 : 0) {}

// An argument for which too few registers are left is on the stack; later ones may still be in registers.
Position ArgumentPositions::next(const Shape& shape) {
    const bool fits = general_ + shape.general <= native.arguments.size() && vector_ + shape.vector <= vector_registers;
    if (!shape.on_stack && fits) {
        const uint32_t first = general_;
        general_ += shape.general;
        vector_ += shape.vector;
        return {true, first};
    }
    if (shape.aligned) stack_ = (stack_ + 1) / 2 * 2;
    const uint32_t first = stack_;
    stack_ += shape.words;
    return {false, first};
}

}  // namespace lt::arch
