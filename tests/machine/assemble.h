// Writes BPF instructions by hand, for tests: each function is one instruction, named as the field's assemblers do.
// A wide load is two, so it returns both.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "machine/object.h"

namespace lt::machine {

enum Register : uint8_t { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10 };

constexpr Instruction alu64(uint8_t op, Register dst, int32_t imm, int16_t off = 0) {
    return {static_cast<uint8_t>(BPF_ALU64 | BPF_K | op), dst, 0, off, imm};
}
constexpr Instruction alu64(uint8_t op, Register dst, Register src, int16_t off = 0) {
    return {static_cast<uint8_t>(BPF_ALU64 | BPF_X | op), dst, src, off, 0};
}
constexpr Instruction alu32(uint8_t op, Register dst, int32_t imm, int16_t off = 0) {
    return {static_cast<uint8_t>(BPF_ALU | BPF_K | op), dst, 0, off, imm};
}
constexpr Instruction alu32(uint8_t op, Register dst, Register src, int16_t off = 0) {
    return {static_cast<uint8_t>(BPF_ALU | BPF_X | op), dst, src, off, 0};
}
constexpr Instruction mov(Register dst, int32_t imm) { return alu64(BPF_MOV, dst, imm); }
constexpr Instruction mov(Register dst, Register src) { return alu64(BPF_MOV, dst, src); }
constexpr Instruction add(Register dst, int32_t imm) { return alu64(BPF_ADD, dst, imm); }
constexpr Instruction to_be(Register dst, int32_t bits) { return {BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, bits}; }
constexpr Instruction to_le(Register dst, int32_t bits) { return {BPF_ALU | BPF_END | BPF_TO_LE, dst, 0, 0, bits}; }
constexpr Instruction bswap(Register dst, int32_t bits) { return {BPF_ALU64 | BPF_END, dst, 0, 0, bits}; }

// size is BPF_B, BPF_H, BPF_W or BPF_DW.
constexpr Instruction ldx(uint8_t size, Register dst, Register src, int16_t off) {
    return {static_cast<uint8_t>(BPF_LDX | BPF_MEM | size), dst, src, off, 0};
}
constexpr Instruction ldsx(uint8_t size, Register dst, Register src, int16_t off) {
    return {static_cast<uint8_t>(BPF_LDX | mode_memsx | size), dst, src, off, 0};
}
constexpr Instruction stx(uint8_t size, Register dst, int16_t off, Register src) {
    return {static_cast<uint8_t>(BPF_STX | BPF_MEM | size), dst, src, off, 0};
}
constexpr Instruction st(uint8_t size, Register dst, int16_t off, int32_t imm) {
    return {static_cast<uint8_t>(BPF_ST | BPF_MEM | size), dst, 0, off, imm};
}
constexpr Instruction atomic(uint8_t size, int32_t op, Register dst, int16_t off, Register src) {
    return {static_cast<uint8_t>(BPF_STX | BPF_ATOMIC | size), dst, src, off, op};
}

constexpr Instruction ja(int16_t off) { return {BPF_JMP | BPF_JA, 0, 0, off, 0}; }
constexpr Instruction gotol(int32_t imm) { return {BPF_JMP32 | BPF_JA, 0, 0, 0, imm}; }
constexpr Instruction jmp(uint8_t op, Register dst, int32_t imm, int16_t off) {
    return {static_cast<uint8_t>(BPF_JMP | BPF_K | op), dst, 0, off, imm};
}
constexpr Instruction jmp(uint8_t op, Register dst, Register src, int16_t off) {
    return {static_cast<uint8_t>(BPF_JMP | BPF_X | op), dst, src, off, 0};
}
constexpr Instruction jmp32(uint8_t op, Register dst, int32_t imm, int16_t off) {
    return {static_cast<uint8_t>(BPF_JMP32 | BPF_K | op), dst, 0, off, imm};
}
constexpr Instruction call(int32_t helper) { return {call_code, 0, 0, 0, helper}; }
constexpr Instruction call_function(int32_t distance) { return {call_code, 0, BPF_PSEUDO_CALL, 0, distance}; }
constexpr Instruction exit_() { return {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}; }

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
        const auto low = static_cast<int32_t>(static_cast<uint32_t>(value));
        const auto high = static_cast<int32_t>(static_cast<uint32_t>(value >> 32));
        return *this << Instruction{load_wide, dst, 0, 0, low} << Instruction{0, 0, 0, 0, high};
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
