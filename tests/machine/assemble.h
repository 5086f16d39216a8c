// Writes BPF instructions by hand, for tests, with the macros of BCC: each function is one instruction, named as the
// field's assemblers do. A wide load is two.
#pragma once

#include <bcc/libbpf.h>

#include <array>
#include <string>
#include <vector>

#include "machine/object.h"

namespace lt::machine {

enum Register : uint8_t { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10 };

// What BCC's macros make of constants, they make of parameters here.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wnarrowing"

constexpr Instruction instruction(const bpf_insn& i) { return {i.code, i.dst_reg, i.src_reg, i.off, i.imm}; }
constexpr Instruction raw(int code, uint8_t dst, uint8_t src, int16_t off, int32_t imm) {
    return instruction(BPF_RAW_INSN(code, dst, src, off, imm));
}

constexpr Instruction alu64(uint8_t op, Register dst, int32_t imm, int16_t off = 0) {
    return raw(BPF_ALU64 | BPF_K | op, dst, 0, off, imm);
}
constexpr Instruction alu64(uint8_t op, Register dst, Register src, int16_t off = 0) {
    return raw(BPF_ALU64 | BPF_X | op, dst, src, off, 0);
}
constexpr Instruction alu32(uint8_t op, Register dst, int32_t imm, int16_t off = 0) {
    return raw(BPF_ALU | BPF_K | op, dst, 0, off, imm);
}
constexpr Instruction alu32(uint8_t op, Register dst, Register src, int16_t off = 0) {
    return raw(BPF_ALU | BPF_X | op, dst, src, off, 0);
}
constexpr Instruction mov(Register dst, int32_t imm) { return instruction(BPF_MOV64_IMM(dst, imm)); }
constexpr Instruction mov(Register dst, Register src) { return instruction(BPF_MOV64_REG(dst, src)); }
constexpr Instruction add(Register dst, int32_t imm) { return instruction(BPF_ALU64_IMM(BPF_ADD, dst, imm)); }
constexpr Instruction to_be(Register dst, int32_t bits) { return raw(BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, bits); }
constexpr Instruction to_le(Register dst, int32_t bits) { return raw(BPF_ALU | BPF_END | BPF_TO_LE, dst, 0, 0, bits); }
constexpr Instruction bswap(Register dst, int32_t bits) { return raw(BPF_ALU64 | BPF_END, dst, 0, 0, bits); }

// size is BPF_B, BPF_H, BPF_W or BPF_DW.
constexpr Instruction ldx(uint8_t size, Register dst, Register src, int16_t off) {
    return instruction(BPF_LDX_MEM(size, dst, src, off));
}
constexpr Instruction ldsx(uint8_t size, Register dst, Register src, int16_t off) {
    return raw(BPF_LDX | mode_memsx | size, dst, src, off, 0);
}
constexpr Instruction stx(uint8_t size, Register dst, int16_t off, Register src) {
    return instruction(BPF_STX_MEM(size, dst, src, off));
}
constexpr Instruction st(uint8_t size, Register dst, int16_t off, int32_t imm) {
    return instruction(BPF_ST_MEM(size, dst, off, imm));
}
constexpr Instruction atomic(uint8_t size, int32_t op, Register dst, int16_t off, Register src) {
    return raw(BPF_STX | BPF_ATOMIC | size, dst, src, off, op);
}

constexpr Instruction ja(int16_t off) { return raw(BPF_JMP | BPF_JA, 0, 0, off, 0); }
constexpr Instruction gotol(int32_t imm) { return raw(BPF_JMP32 | BPF_JA, 0, 0, 0, imm); }
constexpr Instruction jmp(uint8_t op, Register dst, int32_t imm, int16_t off) {
    return instruction(BPF_JMP_IMM(op, dst, imm, off));
}
constexpr Instruction jmp(uint8_t op, Register dst, Register src, int16_t off) {
    return instruction(BPF_JMP_REG(op, dst, src, off));
}
constexpr Instruction jmp32(uint8_t op, Register dst, int32_t imm, int16_t off) {
    return raw(BPF_JMP32 | BPF_K | op, dst, 0, off, imm);
}
constexpr Instruction call(int32_t helper) { return raw(call_code, 0, 0, 0, helper); }
constexpr Instruction call_function(int32_t distance) { return raw(call_code, 0, BPF_PSEUDO_CALL, 0, distance); }
constexpr Instruction exit_() { return instruction(BPF_EXIT_INSN()); }
constexpr std::array<Instruction, 2> load_number(Register dst, uint64_t value) {
    const std::array<bpf_insn, 2> both{BPF_LD_IMM64(dst, value)};
    return {instruction(both[0]), instruction(both[1])};
}

#pragma GCC diagnostic pop

// Collects the code of an object: functions one after another, maps by name.
class Assembler {
  public:
    Assembler& function(std::string name) {
        close();
        object_.functions.push_back({std::move(name), "test", object_.code.size(), object_.code.size(), 0});
        return *this;
    }
    Assembler& map(std::string name, uint32_t type, uint32_t key, uint32_t value, uint32_t entries) {
        object_.maps.push_back({std::move(name), type, key, value, entries, 0});
        return *this;
    }
    Assembler& data(DataSection section) {
        object_.data.push_back(std::move(section));
        return *this;
    }
    Assembler& operator<<(const Instruction& i) {
        object_.code.push_back(i);
        return *this;
    }
    Assembler& operator<<(const std::vector<Instruction>& code) {
        object_.code.insert(object_.code.end(), code.begin(), code.end());
        return *this;
    }
    Assembler& wide(Register dst, uint64_t value) {
        const auto [low, high] = load_number(dst, value);
        return *this << low << high;
    }
    Assembler& refer(Register dst, ReferenceKind kind, size_t index, uint64_t offset = 0) {
        object_.references.push_back({object_.code.size(), kind, index, offset});
        return wide(dst, 0);
    }
    Object object() {
        close();
        return object_;
    }

  private:
    void close() {
        if (!object_.functions.empty()) object_.functions.back().end = object_.code.size();
    }
    Object object_;
};

}  // namespace lt::machine
