// The arithmetic, atomic and jump instructions: tables by operation code, pure functions of their operands. A row
// without a function is an operation that the instruction set does not have.
#pragma once

#include <cstdint>

namespace lt::machine {

using Arithmetic = uint64_t (*)(uint64_t dst, uint64_t src);
using Condition = bool (*)(uint64_t dst, uint64_t src);

enum class Width { bits32, bits64 };

// off is the instruction's offset field: 1 selects the signed form of a division, 8, 16 or 32 that of a move. Null if
// there is no such operation. Operands and result are those of a register: a 32-bit result is zero-extended.
Arithmetic find_arithmetic(uint8_t code, Width width, int16_t off);
Condition find_condition(uint8_t code, Width width);

// imm as in the instruction, without BPF_FETCH.
Arithmetic find_atomic(int32_t imm, Width width);

// bits is 16, 32 or 64; 0 for another. Converting to little-endian only truncates, because this machine is
// little-endian.
bool is_swap_width(int32_t bits);
uint64_t cut(uint64_t value, int32_t bits);
uint64_t swap_bytes(uint64_t value, int32_t bits);

uint64_t sign_extend(uint64_t value, unsigned bytes);

}  // namespace lt::machine
