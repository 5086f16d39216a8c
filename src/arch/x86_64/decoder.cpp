// The x86-64 decoder, which uses Capstone.
#include "arch/decoder.h"

#include <capstone/capstone.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace lt::arch {
namespace {

struct Special {
    unsigned id;
    Flow flow;
};

// Instructions whose flow does not follow from Capstone's groups.
constexpr std::array specials{
    Special{X86_INS_NOP, Flow::nop},       Special{X86_INS_INT3, Flow::breakpoint},
    Special{X86_INS_UD0, Flow::trap},      Special{X86_INS_UD2, Flow::trap},
    Special{X86_INS_UD2B, Flow::trap},     Special{X86_INS_RET, Flow::ret},
    Special{X86_INS_RETF, Flow::leave},    Special{X86_INS_RETFQ, Flow::leave},
    Special{X86_INS_IRET, Flow::leave},    Special{X86_INS_IRETD, Flow::leave},
    Special{X86_INS_IRETQ, Flow::leave},   Special{X86_INS_SYSRET, Flow::leave},
    Special{X86_INS_SYSEXIT, Flow::leave}, Special{X86_INS_LJMP, Flow::indirect_jump},
};

bool has_group(const cs_insn& i, uint8_t group) {
    std::span groups(i.detail->groups, i.detail->groups_count);
    return std::ranges::find(groups, group) != groups.end();
}

bool has_target(const cs_insn& i) {
    const cs_x86& x = i.detail->x86;
    return x.op_count == 1 && x.operands[0].type == X86_OP_IMM;
}

Flow flow_of(const cs_insn& i) {
    for (const Special& s : specials)
        if (s.id == i.id) return s.flow;
    if (has_group(i, X86_GRP_CALL)) return Flow::call;
    if (i.id == X86_INS_JMP) return has_target(i) ? Flow::jump : Flow::indirect_jump;
    bool relative = has_group(i, X86_GRP_JUMP) || has_group(i, X86_GRP_BRANCH_RELATIVE);
    return relative && has_target(i) ? Flow::branch : Flow::plain;
}

// Instructions newer than Capstone 4 that the kernel uses; all of them continue with the next instruction.
using namespace std::string_view_literals;
constexpr std::array younger{
    "\x0f\x01\xe8"sv,      // serialize
    "\x0f\x01\xee"sv,      // rdpkru
    "\x0f\x01\xef"sv,      // wrpkru
    "\x0f\x01\xfa"sv,      // monitorx
    "\x0f\x01\xfb"sv,      // mwaitx
    "\xf2\x0f\x01\xff"sv,  // pvalidate
    "\xf3\x0f\x01\xfe"sv,  // rmpadjust
    "\x66\x0f\x01\xcc"sv,  // tdcall
    "\x66\x0f\xae\xf1"sv,  // tpause ecx
    "\xf2\x0f\x00\xf7"sv,  // lkgs edi
};

std::optional<Instruction> decode_younger(std::span<const uint8_t> code, uint64_t address) {
    for (std::string_view bytes : younger) {
        bool same =
            code.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), code.begin(),
                                                      [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
        if (same) return Instruction{.address = address, .end = address + bytes.size()};
    }
    return std::nullopt;
}

DataUse data_use(const cs_insn& i) {
    const cs_x86& x = i.detail->x86;
    const unsigned memory = x.op_count == 2 ? 1 : 0;
    const bool loads = x.op_count > 0 && x.op_count <= 2 && x.operands[memory].type == X86_OP_MEM;
    const bool computes = i.id == X86_INS_LEA || i.id == X86_INS_MOV || i.id == X86_INS_MOVSXD;
    if (!loads || (memory == 1 ? !computes || x.operands[0].type != X86_OP_REG : i.id != X86_INS_JMP)) return {};
    const x86_op_mem& m = x.operands[memory].mem;
    DataUse out;
    out.kind = i.id == X86_INS_LEA ? DataUse::address : i.id == X86_INS_MOVSXD ? DataUse::offset : DataUse::pointer;
    out.to = memory == 1 ? static_cast<unsigned>(x.operands[0].reg) : 0;
    out.base = static_cast<unsigned>(m.base);
    out.scale = m.index == X86_REG_INVALID ? 0 : m.scale;
    out.displacement = static_cast<uint64_t>(m.disp);
    if (m.base != X86_REG_RIP) return out;
    out.base = 0;
    out.displacement += i.address + i.size;
    return out;
}

}  // namespace

// Capstone's handle and the instruction that it decodes into.
struct Decoder::Engine {
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() {
        if (insn != nullptr) cs_free(insn, 1);  // allocated through the handle
        if (handle != 0) cs_close(&handle);
    }

    std::optional<uint64_t> decode(std::span<const uint8_t> code, uint64_t address);  // returns the end
    uint64_t end_of_ud1(std::span<const uint8_t> code, const Instruction& ud1);

    csh handle{};
    cs_insn* insn = nullptr;
};

std::optional<uint64_t> Decoder::Engine::decode(std::span<const uint8_t> code, uint64_t address) {
    const uint8_t* at = code.data();
    size_t left = code.size();
    uint64_t end = address;
    if (!cs_disasm_iter(handle, &at, &left, &end, insn)) return std::nullopt;
    return end;
}

// Capstone 4 does not know that ud1 has operands. They are encoded like those of imul, so decode an imul to get the
// length.
uint64_t Decoder::Engine::end_of_ud1(std::span<const uint8_t> code, const Instruction& ud1) {
    constexpr size_t longest = 15;
    constexpr uint8_t imul = 0xaf;
    std::vector<uint8_t> copy(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(std::min(code.size(), longest)));
    copy[ud1.end - ud1.address - 1] = imul;
    return decode(copy, ud1.address).value_or(ud1.end);
}

Decoder::Decoder(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Result<Decoder> Decoder::open() {
    auto engine = std::make_unique<Engine>();
    const cs_err failed = cs_open(CS_ARCH_X86, CS_MODE_64, &engine->handle);
    if (failed != CS_ERR_OK) return Error{fmt::format("Capstone: {}", cs_strerror(failed)), ""};
    cs_option(engine->handle, CS_OPT_DETAIL, CS_OPT_ON);
    engine->insn = cs_malloc(engine->handle);
    return Decoder(std::move(engine));
}

std::optional<Instruction> Decoder::decode(std::span<const uint8_t> code, uint64_t address) {
    const auto end = engine_->decode(code, address);
    if (!end) return decode_younger(code, address);
    const cs_insn& insn = *engine_->insn;
    Instruction i{.address = address, .end = *end, .flow = flow_of(insn)};
    if (has_target(insn)) i.target = static_cast<uint64_t>(insn.detail->x86.operands[0].imm);
    i.data = data_use(insn);
    i.checks_stack = insn.id == X86_INS_JBE;
    if (insn.id == X86_INS_UD2B) i.end = engine_->end_of_ud1(code, i);
    return i;
}

}  // namespace lt::arch
