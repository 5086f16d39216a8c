#include "kernel_reader.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace lt {
namespace {

constexpr size_t words = 32, piece = 8 * words;

// What the program gets, and gives back.
struct Asked {
    uint64_t address, size;
    int64_t failed;
    std::array<uint64_t, words> bytes;
};

constexpr bpf_insn insn(uint8_t code, uint8_t to, uint8_t from, int off, int32_t number) {
    bpf_insn out{};
    out.code = code;
    out.dst_reg = to & 0xfU;
    out.src_reg = from & 0xfU;
    out.off = static_cast<int16_t>(off);
    out.imm = number;
    return out;
}
constexpr bpf_insn load(uint8_t to, uint8_t from, int off) {
    return insn(BPF_LDX | BPF_MEM | BPF_DW, to, from, off, 0);
}
constexpr bpf_insn store(uint8_t to, int off, uint8_t from) {
    return insn(BPF_STX | BPF_MEM | BPF_DW, to, from, off, 0);
}
constexpr bpf_insn move(uint8_t to, uint8_t from) { return insn(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0); }

// The helper writes to the stack, all of which is zero before.
constexpr size_t length = 1 + 1 + words + 9 + 2 * words + 2;
constexpr std::array<bpf_insn, length> reader() {
    constexpr int stack = -static_cast<int>(piece);
    std::array<bpf_insn, length> out{};
    size_t n = 0;
    const auto add = [&](bpf_insn one) { out[n++] = one; };
    add(move(BPF_REG_6, BPF_REG_1));
    add(insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0));
    for (size_t i = 0; i < words; i++) add(store(BPF_REG_10, stack + static_cast<int>(8 * i), BPF_REG_0));
    add(load(BPF_REG_3, BPF_REG_6, offsetof(Asked, address)));
    add(load(BPF_REG_2, BPF_REG_6, offsetof(Asked, size)));
    add(insn(BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, 2 * piece - 1));
    add(insn(BPF_JMP | BPF_JLE | BPF_K, BPF_REG_2, 0, 1, piece));
    add(insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, piece));
    add(move(BPF_REG_1, BPF_REG_10));
    add(insn(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, stack));
    add(insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel));
    add(store(BPF_REG_6, offsetof(Asked, failed), BPF_REG_0));
    for (size_t i = 0; i < words; i++) {
        add(load(BPF_REG_1, BPF_REG_10, stack + static_cast<int>(8 * i)));
        add(store(BPF_REG_6, static_cast<int>(offsetof(Asked, bytes) + 8 * i), BPF_REG_1));
    }
    add(insn(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0));
    add(insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
    return out;
}

}  // namespace

bool KernelReader::load() {
    if (tried_) return program_.get() >= 0;
    tried_ = true;
    static constexpr std::array<bpf_insn, length> instructions = reader();
    LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
    const int loaded =
        bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "lt_read", "GPL", instructions.data(), instructions.size(), &options);
    if (loaded >= 0) program_ = Descriptor(loaded);
    return loaded >= 0;
}

bool KernelReader::read_piece(uint64_t address, std::span<uint8_t> to) {
    Asked asked{address, to.size(), -1, {}};
    LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &asked, .ctx_size_in = sizeof asked);
    if (bpf_prog_test_run_opts(program_.get(), &options) != 0 || asked.failed != 0) return false;
    std::memcpy(to.data(), asked.bytes.data(), to.size());
    return true;
}

bool KernelReader::read(uint64_t address, std::span<uint8_t> to) {
    if (!load()) return false;
    for (size_t done = 0; done < to.size(); done += piece)
        if (!read_piece(address + done, to.subspan(done, std::min(piece, to.size() - done)))) return false;
    return true;
}

}  // namespace lt
