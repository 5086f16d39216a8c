#include "runtime/names/kernel_names.h"

#include <bcc/libbpf.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"
#include "runtime/bpf/map.h"
#include "runtime/bpf/program.h"

namespace lt {
namespace {

constexpr size_t longest_text = 1024;  // KSYM_SYMBOL_LEN of <linux/kallsyms.h> is less

// The context is the address.
Descriptor load_formatter(int text, int format) {
    bpf_insn code[] = {
        BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_1, 0),
        BPF_STX_MEM(BPF_DW, BPF_REG_10, BPF_REG_0, -8),
        BPF_LD_IMM64_RAW(BPF_REG_1, BPF_PSEUDO_MAP_VALUE, 0),
        BPF_MOV64_IMM(BPF_REG_2, longest_text),
        BPF_LD_IMM64_RAW(BPF_REG_3, BPF_PSEUDO_MAP_VALUE, 0),
        BPF_MOV64_REG(BPF_REG_4, BPF_REG_10),
        BPF_ALU64_IMM(BPF_ADD, BPF_REG_4, -8),
        BPF_MOV64_IMM(BPF_REG_5, 8),
        BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_snprintf),
        BPF_MOV64_IMM(BPF_REG_0, 0),
        BPF_EXIT_INSN(),
    };
    code[2].imm = text;
    code[5].imm = format;
    return bpf::load({.type = BPF_PROG_TYPE_SYSCALL, .flags = BPF_F_SLEEPABLE}, "lt_names", code);
}

// A map with a constant text, which formats have to be in.
Descriptor constant(const std::array<char, 8>& text) {
    const uint32_t first = 0;
    Descriptor map = bpf::create({BPF_MAP_TYPE_ARRAY, "lt_format", sizeof first, sizeof text, 1, BPF_F_RDONLY_PROG});
    const bool is_made = map && bpf::update(map.get(), &first, text.data()) == 0 && bpf::freeze(map.get()) == 0;
    return is_made ? std::move(map) : Descriptor();
}

// The kernel names no module for bpf_prog_0123456789abcdef_NAME and bpf_trampoline_123.
bool is_of_bpf(std::string_view function) {
    constexpr std::string_view program = "bpf_prog_", trampoline = "bpf_trampoline_";
    constexpr size_t tag = 16;
    if (function.starts_with(program))
        return function.find_first_not_of("0123456789abcdef", program.size()) >= program.size() + tag &&
               function.size() >= program.size() + tag;
    return function.starts_with(trampoline) && function.size() > trampoline.size() &&
           function.find_first_not_of("0123456789", trampoline.size()) == function.npos;
}

}  // namespace

std::optional<KernelName> parse_kernel_name(std::string_view text) {
    const size_t plus = text.find("+0x"), slash = text.find("/0x", std::min(plus, text.size()));
    if (plus == text.npos || slash == text.npos || plus == 0) return {};
    const size_t end = std::min(text.find(' ', slash), text.size());
    const auto offset = parse_number<uint64_t>(text.substr(plus + 3, slash - plus - 3), 16);
    const auto size = parse_number<uint64_t>(text.substr(slash + 3, end - slash - 3), 16);
    if (!offset || !size) return {};
    const std::string_view rest = text.substr(end);
    const bool has_module = rest.starts_with(" [") && rest.ends_with(']');
    KernelName name{std::string(text.substr(0, plus)), "", *offset, *size};
    if (has_module) name.module = rest.substr(2, rest.size() - 3);
    if (!has_module && is_of_bpf(name.function)) name.module = "bpf";
    return name;
}

std::optional<KernelNames> KernelNames::open() {
    Descriptor text = bpf::create({BPF_MAP_TYPE_ARRAY, "lt_text", sizeof(uint32_t), longest_text, 1});
    const Descriptor format = constant({"%pS"});
    if (!text || !format) return {};
    Descriptor program = load_formatter(text.get(), format.get());
    return program ? std::optional(KernelNames(std::move(text), std::move(program))) : std::nullopt;
}

std::optional<KernelName> KernelNames::at(uint64_t address) const {
    const uint32_t first = 0;
    std::array<char, longest_text> text{};
    if (bpf::run(program_.get(), std::as_writable_bytes(std::span(&address, 1))) != 0 ||
        bpf::lookup(text_.get(), &first, text.data()) != 0)
        return {};
    text.back() = '\0';
    return parse_kernel_name(text.data());
}

}  // namespace lt
