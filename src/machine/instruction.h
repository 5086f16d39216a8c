// One BPF instruction, decoded into plain integers, and the encodings of the v4 instruction set that older kernel
// headers do not name. <linux/bpf.h> has the other encodings.
#pragma once

#include <linux/bpf.h>

#include <cstdint>

namespace lt::machine {

using Address = uint64_t;

struct Instruction {
    uint8_t code = 0;
    uint8_t dst = 0;
    uint8_t src = 0;
    int16_t off = 0;
    int32_t imm = 0;
    bool operator==(const Instruction&) const = default;
};

inline constexpr int instruction_bytes = 8;
inline constexpr unsigned register_count = 11;
inline constexpr unsigned frame_pointer = BPF_REG_10;
inline constexpr uint8_t mode_memsx = 0x80;                      // sign-extending load
inline constexpr uint8_t load_wide = BPF_LD | BPF_IMM | BPF_DW;  // takes two slots
inline constexpr uint8_t call_code = BPF_JMP | BPF_CALL;

// The access size in bytes of a load or store's code.
constexpr unsigned access_size(uint8_t code) {
    constexpr unsigned sizes[] = {4, 2, 1, 8};
    return sizes[(code >> 3) & 3];
}

}  // namespace lt::machine
