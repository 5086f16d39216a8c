// Each operation is a template over the unsigned type of its width; the tables hold both instances.
#include "machine/operations.h"

#include <linux/bpf.h>

#include <array>
#include <limits>
#include <type_traits>

namespace lt::machine {
namespace {

template <class U>
using Signed = std::make_signed_t<U>;

template <class U>
constexpr U width_mask = sizeof(U) * 8 - 1;

template <class U>
U add(U a, U b) {
    return a + b;
}
template <class U>
U sub(U a, U b) {
    return a - b;
}
template <class U>
U mul(U a, U b) {
    return a * b;
}
template <class U>
U div(U a, U b) {
    return b == 0 ? 0 : a / b;
}
template <class U>
U mod(U a, U b) {
    return b == 0 ? a : a % b;
}
template <class U>
U bit_or(U a, U b) {
    return a | b;
}
template <class U>
U bit_and(U a, U b) {
    return a & b;
}
template <class U>
U bit_xor(U a, U b) {
    return a ^ b;
}
template <class U>
U lsh(U a, U b) {
    return a << (b & width_mask<U>);
}
template <class U>
U rsh(U a, U b) {
    return a >> (b & width_mask<U>);
}
template <class U>
U arsh(U a, U b) {
    return static_cast<U>(static_cast<Signed<U>>(a) >> (b & width_mask<U>));
}
template <class U>
U neg(U a, U) {
    return U{0} - a;
}
template <class U>
U mov(U, U b) {
    return b;
}

// The smallest number divided by -1 overflows in C++; BPF defines it as itself, with remainder 0.
template <class U>
U sdiv(U a, U b) {
    if (b == std::numeric_limits<U>::max()) return U{0} - a;
    return b == 0 ? 0 : static_cast<U>(static_cast<Signed<U>>(a) / static_cast<Signed<U>>(b));
}
template <class U>
U smod(U a, U b) {
    if (b == std::numeric_limits<U>::max()) return 0;
    return b == 0 ? a : static_cast<U>(static_cast<Signed<U>>(a) % static_cast<Signed<U>>(b));
}

template <class U, unsigned bytes>
U movsx(U, U b) {
    return static_cast<U>(sign_extend(b, bytes));
}

template <class U, U (*operation)(U, U)>
uint64_t lift(uint64_t a, uint64_t b) {
    return operation(static_cast<U>(a), static_cast<U>(b));
}

struct ArithmeticRow {
    uint8_t op;
    int16_t off;
    Arithmetic narrow;
    Arithmetic wide;
};

#define LT_BOTH(f) lift<uint32_t, f<uint32_t>>, lift<uint64_t, f<uint64_t>>
#define LT_MOVSX(bytes) lift<uint32_t, movsx<uint32_t, bytes>>, lift<uint64_t, movsx<uint64_t, bytes>>

constexpr std::array arithmetic = {
    ArithmeticRow{BPF_ADD, 0, LT_BOTH(add)},
    ArithmeticRow{BPF_SUB, 0, LT_BOTH(sub)},
    ArithmeticRow{BPF_MUL, 0, LT_BOTH(mul)},
    ArithmeticRow{BPF_DIV, 0, LT_BOTH(div)},
    ArithmeticRow{BPF_DIV, 1, LT_BOTH(sdiv)},
    ArithmeticRow{BPF_OR, 0, LT_BOTH(bit_or)},
    ArithmeticRow{BPF_AND, 0, LT_BOTH(bit_and)},
    ArithmeticRow{BPF_LSH, 0, LT_BOTH(lsh)},
    ArithmeticRow{BPF_RSH, 0, LT_BOTH(rsh)},
    ArithmeticRow{BPF_NEG, 0, LT_BOTH(neg)},
    ArithmeticRow{BPF_MOD, 0, LT_BOTH(mod)},
    ArithmeticRow{BPF_MOD, 1, LT_BOTH(smod)},
    ArithmeticRow{BPF_XOR, 0, LT_BOTH(bit_xor)},
    ArithmeticRow{BPF_MOV, 0, LT_BOTH(mov)},
    ArithmeticRow{BPF_MOV, 8, LT_MOVSX(1)},
    ArithmeticRow{BPF_MOV, 16, LT_MOVSX(2)},
    ArithmeticRow{BPF_MOV, 32, nullptr, lift<uint64_t, movsx<uint64_t, 4>>},
    ArithmeticRow{BPF_ARSH, 0, LT_BOTH(arsh)},
};

template <class U>
bool eq(U a, U b) {
    return a == b;
}
template <class U>
bool ne(U a, U b) {
    return a != b;
}
template <class U>
bool greater(U a, U b) {
    return a > b;
}
template <class U>
bool greater_eq(U a, U b) {
    return a >= b;
}
template <class U>
bool less(U a, U b) {
    return a < b;
}
template <class U>
bool less_eq(U a, U b) {
    return a <= b;
}
template <class U>
bool set(U a, U b) {
    return (a & b) != 0;
}
template <class U>
bool sgt(U a, U b) {
    return static_cast<Signed<U>>(a) > static_cast<Signed<U>>(b);
}
template <class U>
bool sge(U a, U b) {
    return static_cast<Signed<U>>(a) >= static_cast<Signed<U>>(b);
}
template <class U>
bool slt(U a, U b) {
    return static_cast<Signed<U>>(a) < static_cast<Signed<U>>(b);
}
template <class U>
bool sle(U a, U b) {
    return static_cast<Signed<U>>(a) <= static_cast<Signed<U>>(b);
}

template <class U, bool (*condition)(U, U)>
bool lift_condition(uint64_t a, uint64_t b) {
    return condition(static_cast<U>(a), static_cast<U>(b));
}

struct ConditionRow {
    uint8_t op;
    Condition narrow;
    Condition wide;
};

#define LT_CONDITION(f) lift_condition<uint32_t, f<uint32_t>>, lift_condition<uint64_t, f<uint64_t>>

constexpr std::array conditions = {
    ConditionRow{BPF_JEQ, LT_CONDITION(eq)},      ConditionRow{BPF_JNE, LT_CONDITION(ne)},
    ConditionRow{BPF_JGT, LT_CONDITION(greater)}, ConditionRow{BPF_JGE, LT_CONDITION(greater_eq)},
    ConditionRow{BPF_JLT, LT_CONDITION(less)},    ConditionRow{BPF_JLE, LT_CONDITION(less_eq)},
    ConditionRow{BPF_JSET, LT_CONDITION(set)},    ConditionRow{BPF_JSGT, LT_CONDITION(sgt)},
    ConditionRow{BPF_JSGE, LT_CONDITION(sge)},    ConditionRow{BPF_JSLT, LT_CONDITION(slt)},
    ConditionRow{BPF_JSLE, LT_CONDITION(sle)},
};

struct AtomicRow {
    int32_t imm;
    Arithmetic narrow;
    Arithmetic wide;
};

constexpr std::array atomics = {
    AtomicRow{BPF_ADD, LT_BOTH(add)},
    AtomicRow{BPF_OR, LT_BOTH(bit_or)},
    AtomicRow{BPF_AND, LT_BOTH(bit_and)},
    AtomicRow{BPF_XOR, LT_BOTH(bit_xor)},
    AtomicRow{BPF_XCHG & ~BPF_FETCH, LT_BOTH(mov)},
};

#undef LT_BOTH
#undef LT_MOVSX
#undef LT_CONDITION

}  // namespace

Arithmetic find_arithmetic(uint8_t code, Width width, int16_t off) {
    for (const ArithmeticRow& row : arithmetic)
        if (row.op == BPF_OP(code) && row.off == off) return width == Width::bits64 ? row.wide : row.narrow;
    return nullptr;
}

Condition find_condition(uint8_t code, Width width) {
    for (const ConditionRow& row : conditions)
        if (row.op == BPF_OP(code)) return width == Width::bits64 ? row.wide : row.narrow;
    return nullptr;
}

Arithmetic find_atomic(int32_t imm, Width width) {
    for (const AtomicRow& row : atomics)
        if (row.imm == imm) return width == Width::bits64 ? row.wide : row.narrow;
    return nullptr;
}

bool is_swap_width(int32_t bits) { return bits == 16 || bits == 32 || bits == 64; }

uint64_t cut(uint64_t value, int32_t bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }

uint64_t swap_bytes(uint64_t value, int32_t bits) { return __builtin_bswap64(value) >> (64 - bits); }

uint64_t sign_extend(uint64_t value, unsigned bytes) {
    const unsigned shift = 64 - 8 * bytes;
    return static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
}

}  // namespace lt::machine
