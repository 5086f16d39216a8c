// The decoder beside Capstone, over all code in this process: the tests' own, and the vector code of libc and libm.
#include "arch/decoder.h"

#include <capstone/capstone.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string_view>
#include <vector>

namespace lt::arch {
namespace {

using Code = std::span<const uint8_t>;

class Capstone {
  public:
    Capstone() {
        cs_open(CS_ARCH_X86, CS_MODE_64, &handle_);
        cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
        insn_ = cs_malloc(handle_);
    }
    Capstone(const Capstone&) = delete;
    Capstone& operator=(const Capstone&) = delete;
    ~Capstone() {
        cs_free(insn_, 1);
        cs_close(&handle_);
    }

    std::optional<Instruction> decode(Code code, uint64_t address) {
        const uint8_t* at = code.data();
        size_t left = code.size();
        uint64_t end = address;
        if (!cs_disasm_iter(handle_, &at, &left, &end, insn_)) return {};
        Instruction out{.address = address, .end = end, .flow = flow()};
        if (has_target()) out.target = static_cast<uint64_t>(x().operands[0].imm);
        out.data = data_use(end);
        out.checks_stack = insn_->id == X86_INS_JBE;
        return out;
    }
    std::string text() const { return fmt::format("{} {}", insn_->mnemonic, insn_->op_str); }
    // The distance after a prefix 66 has 2 bytes for AMD's processors, as here, and 4 for Intel's. A prefix before
    // those of a vector instruction is an error, and ud1 has operands.
    bool is_excused(const Instruction& i) const {
        const bool is_vector =
            insn_->mnemonic[0] == 'v' && std::ranges::count(std::array{0xc4, 0xc5, 0x62}, insn_->bytes[0]) == 0;
        return is({X86_INS_UD2B}) || is_vector || (x().prefix[2] == X86_PREFIX_OPSIZE && i.target != 0);
    }

  private:
    const cs_x86& x() const { return insn_->detail->x86; }
    bool is(std::initializer_list<unsigned> ids) const { return std::ranges::find(ids, insn_->id) != ids.end(); }
    bool has_group(uint8_t group) const { return cs_insn_group(handle_, insn_, group); }
    bool has_target() const {
        const bool goes = has_group(X86_GRP_JUMP) || has_group(X86_GRP_BRANCH_RELATIVE) || has_group(X86_GRP_CALL);
        return goes && x().op_count == 1 && x().operands[0].type == X86_OP_IMM;
    }

    Flow flow() const {
        if (is({X86_INS_NOP})) return x().opcode[0] == 0x90 || x().opcode[1] == 0x1f ? Flow::nop : Flow::plain;
        if (is({X86_INS_INT3})) return Flow::breakpoint;
        if (is({X86_INS_UD0, X86_INS_UD2, X86_INS_UD2B})) return Flow::trap;
        if (is({X86_INS_RET})) return Flow::ret;
        if (is({X86_INS_RETF, X86_INS_RETFQ, X86_INS_IRET, X86_INS_IRETD, X86_INS_IRETQ, X86_INS_SYSRET,
                X86_INS_SYSEXIT}))
            return Flow::leave;
        if (has_group(X86_GRP_CALL)) return Flow::call;
        if (is({X86_INS_JMP})) return has_target() ? Flow::jump : Flow::indirect_jump;
        if (is({X86_INS_LJMP})) return Flow::indirect_jump;
        return has_target() ? Flow::branch : Flow::plain;
    }

    DataUse data_use(uint64_t end) const {
        const unsigned memory = x().op_count == 2 ? 1 : 0;
        const cs_x86_op& operand = x().operands[memory];
        if (x().op_count == 0 || x().op_count > 2 || operand.type != X86_OP_MEM || x().addr_size != 8) return {};
        const bool loads = is({X86_INS_LEA, X86_INS_MOV, X86_INS_MOVSXD}) && memory == 1 &&
                           x().operands[0].type == X86_OP_REG && x().operands[0].size == 8 && (x().rex & 8) != 0 &&
                           register_number(x().operands[0].reg) != 0;
        if (!loads && !(is({X86_INS_JMP}) && memory == 0)) return {};
        DataUse out;
        out.kind = is({X86_INS_LEA}) ? DataUse::address : is({X86_INS_MOVSXD}) ? DataUse::offset : DataUse::pointer;
        out.to = memory == 1 ? register_number(x().operands[0].reg) : 0;
        out.base = register_number(operand.mem.base);
        out.scale = register_number(operand.mem.index) == 0 ? 0 : operand.mem.scale;
        out.displacement = static_cast<uint64_t>(operand.mem.disp) + (operand.mem.base == X86_REG_RIP ? end : 0);
        return out;
    }

    // The processor's number + 1; 0: none.
    static unsigned register_number(x86_reg reg) {
        static const std::vector<x86_reg> all{
            X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP, X86_REG_RSI, X86_REG_RDI,
            X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11, X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15};
        const auto at = std::ranges::find(all, reg);
        return at == all.end() ? 0 : static_cast<unsigned>(at - all.begin()) + 1;
    }

    csh handle_{};
    cs_insn* insn_ = nullptr;
};

std::string text(const Instruction& i) {
    return fmt::format("{} bytes, flow {}, target {:#x}{}, use {} of {} + {} * index + {:#x} to {}", i.end - i.address,
                       static_cast<int>(i.flow), i.target, i.checks_stack ? ", checks" : "",
                       static_cast<int>(i.data.kind), i.data.base, i.data.scale, i.data.displacement, i.data.to);
}

std::string bytes_of(Code code) {
    std::string out;
    for (const uint8_t byte : code.first(std::min<size_t>(code.size(), 15))) out += fmt::format("{:02x} ", byte);
    return out;
}

struct Sweep {
    size_t instructions = 0;
    std::map<std::string, std::string> differences;  // by Capstone's text of the instruction's name
    size_t unknown = 0;                              // to Capstone
};

void compare(Capstone& capstone, Code code, uint64_t address, Sweep& sweep) {
    const auto theirs = capstone.decode(code, address);
    const auto ours = decode(code, address);
    sweep.instructions++;
    if (!theirs || capstone.is_excused(*theirs)) {
        sweep.unknown++;
        return;
    }
    const std::string expected = text(*theirs), got = ours ? text(*ours) : "nothing";
    if (expected != got)
        sweep.differences.emplace(capstone.text(), fmt::format("{}\n  {}\n  {}", bytes_of(code), expected, got));
}

Code executable(const dl_phdr_info& object, const ElfW(Phdr) & part) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) return {};
    return {reinterpret_cast<const uint8_t*>(object.dlpi_addr + part.p_vaddr), part.p_memsz};
}

std::vector<Code> all_code() {
    std::vector<Code> out;
    dl_iterate_phdr(
        [](dl_phdr_info* object, size_t, void* all) {
            for (size_t i = 0; i < object->dlpi_phnum; i++)
                if (const Code code = executable(*object, object->dlpi_phdr[i]); !code.empty())
                    static_cast<std::vector<Code>*>(all)->push_back(code);
            return 0;
        },
        &out);
    return out;
}

std::string report(const Sweep& sweep) {
    std::string out;
    for (const auto& [name, difference] : sweep.differences) out += fmt::format("{}: {}\n", name, difference);
    return out;
}

TEST(Decoder, AgreesWithCapstoneOnAllCodeOfThisProcess) {
    Capstone capstone;
    Sweep sweep;
    constexpr size_t most = 2 << 20;  // bytes of each file
    for (const Code code : all_code())
        for (size_t at = 0; at < std::min(code.size(), most);) {
            const uint64_t address = reinterpret_cast<uint64_t>(code.data()) + at;
            compare(capstone, code.subspan(at), address, sweep);
            const auto i = decode(code.subspan(at), address);
            at += i ? i->end - i->address : 1;
        }
    EXPECT_GT(sweep.instructions, 1'000'000U);
    EXPECT_LT(sweep.unknown, sweep.instructions / 100);  // it does not know all that is between functions
    EXPECT_EQ(report(sweep), "");
}

TEST(Decoder, AgreesWithCapstoneOnRandomBytes) {
    Capstone capstone;
    Sweep sweep;
    const uint64_t seed = 1;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 300'000; i++) {
        std::array<uint8_t, 16> bytes{};
        for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
        compare(capstone, bytes, 0x1000, sweep);
    }
    EXPECT_EQ(report(sweep), "");
}

// Longer than 15 bytes, cut off, and what 64-bit mode has no more.
TEST(Decoder, RefusesWhatIsNoInstruction) {
    const std::vector<uint8_t> prefixes(20, 0x66), call{0xe8, 0, 0, 0}, far_call{0x9a, 0, 0, 0, 0, 0, 0}, push_es{0x06};
    for (const auto& code : {prefixes, call, far_call, push_es, std::vector<uint8_t>{}}) EXPECT_FALSE(decode(code, 0));
    const std::vector<uint8_t> longest{0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                       0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90};
    ASSERT_TRUE(decode(longest, 0));
    EXPECT_EQ(decode(longest, 0)->end, 15U);
}

// Instructions that Capstone 4 does not have: serialize, rdpkru, monitorx, tdcall, tpause, lkgs.
TEST(Decoder, KnowsYoungerInstructions) {
    using Bytes = std::vector<uint8_t>;
    for (const Bytes& code :
         {Bytes{0x0f, 0x01, 0xe8}, Bytes{0x0f, 0x01, 0xee}, Bytes{0x0f, 0x01, 0xfa}, Bytes{0x66, 0x0f, 0x01, 0xcc},
          Bytes{0x66, 0x0f, 0xae, 0xf1}, Bytes{0xf2, 0x0f, 0x00, 0xf7}}) {
        const auto i = decode(code, 0);
        ASSERT_TRUE(i) << bytes_of(code);
        EXPECT_EQ(i->end, code.size());
        EXPECT_EQ(i->flow, Flow::plain);
    }
}

}  // namespace
}  // namespace lt::arch
