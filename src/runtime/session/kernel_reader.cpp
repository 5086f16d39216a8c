#include "runtime/session/kernel_reader.h"

#include <bcc/libbpf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "runtime/bpf/program.h"

namespace lt {
namespace {

constexpr size_t words = 32, piece = 8 * words;

// The program's context, for input and output.
struct Request {
    uint64_t address, size;
    int64_t failed;
    std::array<uint64_t, words> bytes;
};

// The helper writes to the stack, which is zeroed first.
constexpr size_t length = 1 + 1 + words + 9 + 2 * words + 2;
constexpr std::array<bpf_insn, length> reader() {
    constexpr auto stack = [](size_t word) {
        return static_cast<int16_t>(static_cast<int>(8 * word) - static_cast<int>(piece));
    };
    constexpr auto byte = [](size_t word) { return static_cast<int16_t>(offsetof(Request, bytes) + 8 * word); };
    std::array<bpf_insn, length> out{};
    size_t n = 0;
    const auto add = [&](bpf_insn one) { out[n++] = one; };
    add(BPF_MOV64_REG(BPF_REG_6, BPF_REG_1));
    add(BPF_MOV64_IMM(BPF_REG_0, 0));
    for (size_t i = 0; i < words; i++) add(BPF_STX_MEM(BPF_DW, BPF_REG_10, BPF_REG_0, stack(i)));
    add(BPF_LDX_MEM(BPF_DW, BPF_REG_3, BPF_REG_6, offsetof(Request, address)));
    add(BPF_LDX_MEM(BPF_DW, BPF_REG_2, BPF_REG_6, offsetof(Request, size)));
    add(BPF_ALU64_IMM(BPF_AND, BPF_REG_2, 2 * piece - 1));
    add(BPF_JMP_IMM(BPF_JLE, BPF_REG_2, piece, 1));
    add(BPF_MOV64_IMM(BPF_REG_2, piece));
    add(BPF_MOV64_REG(BPF_REG_1, BPF_REG_10));
    add(BPF_ALU64_IMM(BPF_ADD, BPF_REG_1, stack(0)));
    add(BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel));
    add(BPF_STX_MEM(BPF_DW, BPF_REG_6, BPF_REG_0, offsetof(Request, failed)));
    for (size_t i = 0; i < words; i++) {
        add(BPF_LDX_MEM(BPF_DW, BPF_REG_1, BPF_REG_10, stack(i)));
        add(BPF_STX_MEM(BPF_DW, BPF_REG_6, BPF_REG_1, byte(i)));
    }
    add(BPF_MOV64_IMM(BPF_REG_0, 0));
    add(BPF_EXIT_INSN());
    return out;
}

}  // namespace

bool KernelReader::load() {
    if (tried_) return program_.get() >= 0;
    tried_ = true;
    static constexpr std::array<bpf_insn, length> instructions = reader();
    program_ = bpf::load({.type = BPF_PROG_TYPE_SYSCALL, .flags = BPF_F_SLEEPABLE}, "lt_read", instructions);
    return static_cast<bool>(program_);
}

bool KernelReader::read_piece(uint64_t address, std::span<uint8_t> to) {
    Request request{address, to.size(), -1, {}};
    if (bpf::run(program_.get(), std::as_writable_bytes(std::span(&request, 1))) != 0 || request.failed != 0)
        return false;
    std::memcpy(to.data(), request.bytes.data(), to.size());
    return true;
}

bool KernelReader::read(uint64_t address, std::span<uint8_t> to) {
    if (!load()) return false;
    for (size_t done = 0; done < to.size(); done += piece)
        if (!read_piece(address + done, to.subspan(done, std::min(piece, to.size() - done)))) return false;
    return true;
}

}  // namespace lt
