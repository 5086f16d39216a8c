// The System V ABI for x86-64: parameter passing.
#include "arch/arguments.h"

#include <algorithm>
#include <array>
#include <bit>

#include "arch/arch.h"

namespace lt::arch {
namespace {

constexpr uint64_t word = 8;
constexpr uint32_t vector_registers = 8;

}  // namespace

// A word goes to a general register unless it contains only floating point. A vector of two words, as __m128 and
// __float128, has one register, but its upper word needs another one if a general register holds the lower word.
Shape shape_of(uint64_t size, std::span<const Scalar> scalars) {
    std::array<bool, most_in_registers / word> general{}, vector{};
    bool upper = false, extended = false, plain = false, packed = false;
    Shape out{static_cast<uint32_t>((size + word - 1) / word), 0, 0};
    for (const Scalar& s : scalars) {
        out.aligned = out.aligned || s.size >= 2 * word;
        (s.extended ? extended : plain) = true;
        packed = packed || (std::has_single_bit(s.size) && s.offset % s.size != 0);
        const bool is_wide = s.vector && s.size > word;
        upper = upper || is_wide;
        const uint64_t end = std::min(s.offset + (is_wide ? word : s.size), most_in_registers);
        for (uint64_t at = s.offset; at < end; at += word) (s.vector ? vector : general)[at / word] = true;
    }
    vector[1] = vector[1] || (upper && general[0]);
    for (size_t i = 0; i < general.size(); i++) general[i] ? out.general++ : out.vector += vector[i];
    out.in_memory = size > most_in_registers || packed || (extended && plain);
    out.on_stack = out.in_memory || extended;
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
