// A walk over a function's instructions with Capstone: from the entry along every path, then from each stretch that no
// path came through. Too many returns found would cost a breakpoint, one missed would cost the truth, so doubt adds.
#include "returns.h"

#include <capstone/capstone.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace lt {

namespace {

// What comes after an instruction.
enum class Flow {
    plain,          // the next instruction
    nop,            // likewise, but may be padding
    call,           // likewise, unless the callee never returns
    trap,           // likewise: the kernel resumes after the ud2 of a WARN, though not after that of a BUG
    branch,         // the next instruction or the target
    jump,           // the target
    indirect_jump,  // nobody knows
    ret,            // the caller
    leave,          // something other than the caller
    breakpoint,     // nothing: padding, or another tracer's work
};

struct Instruction {
    uint64_t address = 0;
    uint64_t end = 0;
    Flow flow = Flow::plain;
    uint64_t target = 0;  // of branch and jump
};

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
    return std::find(groups.begin(), groups.end(), group) != groups.end();
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

// Instructions younger than Capstone 4 that the kernel uses; control passes through them all.
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

// Capstone's handle and the one instruction it decodes into.
class Decoder {
  public:
    static Result<Decoder> open();
    std::optional<Instruction> decode(std::span<const uint8_t> code, uint64_t address);

  private:
    std::optional<uint64_t> decode_raw(std::span<const uint8_t> code, uint64_t address);  // the end
    uint64_t end_of_ud1(std::span<const uint8_t> code, const Instruction& ud1);

    struct CloseHandle {
        void operator()(csh* handle) const {
            cs_close(handle);
            delete handle;
        }
    };
    struct FreeInstruction {
        void operator()(cs_insn* i) const { cs_free(i, 1); }
    };
    std::unique_ptr<csh, CloseHandle> handle_;
    std::unique_ptr<cs_insn, FreeInstruction> insn_;  // allocated through the handle, so freed before it
};

Result<Decoder> Decoder::open() {
    csh handle{};
    cs_err failed = cs_open(CS_ARCH_X86, CS_MODE_64, &handle);
    if (failed != CS_ERR_OK) return Error{fmt::format("Capstone: {}", cs_strerror(failed)), ""};
    Decoder d;
    d.handle_.reset(new csh(handle));
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    d.insn_.reset(cs_malloc(handle));
    return d;
}

std::optional<Instruction> Decoder::decode(std::span<const uint8_t> code, uint64_t address) {
    auto end = decode_raw(code, address);
    if (!end) return decode_younger(code, address);
    Instruction i{.address = address, .end = *end, .flow = flow_of(*insn_)};
    if (has_target(*insn_)) i.target = static_cast<uint64_t>(insn_->detail->x86.operands[0].imm);
    if (insn_->id == X86_INS_UD2B) i.end = end_of_ud1(code, i);
    return i;
}

std::optional<uint64_t> Decoder::decode_raw(std::span<const uint8_t> code, uint64_t address) {
    const uint8_t* at = code.data();
    size_t left = code.size();
    uint64_t end = address;
    if (!cs_disasm_iter(*handle_, &at, &left, &end, insn_.get())) return std::nullopt;
    return end;
}

// Capstone 4 overlooks that ud1 has operands. imul's are encoded likewise, so it is asked how long that would be.
uint64_t Decoder::end_of_ud1(std::span<const uint8_t> code, const Instruction& ud1) {
    constexpr size_t longest = 15;
    constexpr uint8_t imul = 0xaf;
    std::vector<uint8_t> copy(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(std::min(code.size(), longest)));
    copy[ud1.end - ud1.address - 1] = imul;
    return decode_raw(copy, ud1.address).value_or(ud1.end);
}

Error error_at(const char* what, uint64_t address) { return Error{fmt::format("{} at {:#x}", what, address), ""}; }

class Walk {
  public:
    Walk(Decoder decoder, std::span<const uint8_t> code, uint64_t address, std::span<const uint64_t> return_thunks)
        : decoder_(std::move(decoder)),
          code_(code),
          begin_(address),
          thunks_(return_thunks),
          seen_(code.size()),
          covered_(code.size()) {}

    Result<Exits> run();

  private:
    // A path's start, and whether what lies before it may be the end of the code, so that padding may follow.
    struct Start {
        uint64_t address;
        bool after_end;
    };

    Status follow_all();
    Status follow(Start start);
    Result<Instruction> decode(uint64_t address);
    Result<bool> goes_on(const Instruction& i, bool after_end);
    bool jump(const Instruction& i);
    void branch(const Instruction& i);

    bool inside(uint64_t address) const { return address >= begin_ && address - begin_ < code_.size(); }
    bool leaves(uint64_t target) const { return !inside(target) || target == begin_; }
    bool is_thunk(uint64_t target) const { return std::find(thunks_.begin(), thunks_.end(), target) != thunks_.end(); }

    Decoder decoder_;
    std::span<const uint8_t> code_;
    uint64_t begin_;
    std::span<const uint64_t> thunks_;
    std::vector<bool> seen_;     // by offset: an instruction starts here
    std::vector<bool> covered_;  // by offset: a byte of some instruction
    std::vector<Start> todo_;
    Exits exits_;
};

Result<Exits> Walk::run() {
    if (code_.empty()) return Error{"the function has no code", ""};
    todo_.push_back({begin_, false});
    // From here on every path from the entry is walked before the first unreached byte is looked for.
    for (size_t offset = 0; offset < code_.size(); offset++) {
        Status walked = follow_all();
        if (!walked) return walked.error();
        if (!covered_[offset]) todo_.push_back({begin_ + offset, true});
    }
    Status walked = follow_all();
    if (!walked) return walked.error();
    std::sort(exits_.returns.begin(), exits_.returns.end());
    std::sort(exits_.tail_jumps.begin(), exits_.tail_jumps.end());
    return exits_;
}

Status Walk::follow_all() {
    while (!todo_.empty()) {
        Start start = todo_.back();
        todo_.pop_back();
        Status walked = follow(start);
        if (!walked) return walked;
    }
    return Done{};
}

Status Walk::follow(Start start) {
    uint64_t at = start.address, last = start.address;
    bool after_end = start.after_end;
    while (inside(at)) {
        if (seen_[at - begin_]) return Done{};
        auto i = decode(at);
        if (!i) return i.error();
        auto more = goes_on(*i, after_end);
        if (!more) return more.error();
        if (!*more) return Done{};
        if (i->flow != Flow::nop) after_end = i->flow == Flow::call || i->flow == Flow::trap;
        last = at;
        at = i->end;
    }
    if (!after_end) exits_.tail_jumps.push_back(last);
    return Done{};
}

Result<Instruction> Walk::decode(uint64_t address) {
    size_t offset = address - begin_;
    auto i = decoder_.decode(code_.subspan(offset), address);
    if (!i) return error_at("an instruction that cannot be decoded", address);
    seen_[offset] = true;
    std::fill_n(covered_.begin() + static_cast<std::ptrdiff_t>(offset), i->end - address, true);
    return *i;
}

Result<bool> Walk::goes_on(const Instruction& i, bool after_end) {
    switch (i.flow) {
        case Flow::plain:
        case Flow::nop:
        case Flow::call:
        case Flow::trap:
            return true;
        case Flow::branch:
            branch(i);
            return true;
        case Flow::jump:
            return jump(i);
        case Flow::indirect_jump:
            return error_at("an indirect jump, whose targets are not known,", i.address);
        case Flow::ret:
            exits_.returns.push_back(i.address);
            return false;
        case Flow::leave:
            exits_.tail_jumps.push_back(i.address);
            return false;
        case Flow::breakpoint:
            break;
    }
    // Where code must be, the int3 hides an instruction; elsewhere it is padding.
    if (after_end) return false;
    return error_at("a breakpoint instruction, set by another tracer or debugger,", i.address);
}

bool Walk::jump(const Instruction& i) {
    if (is_thunk(i.target))
        exits_.returns.push_back(i.address);
    else if (leaves(i.target))
        exits_.tail_jumps.push_back(i.address);
    else
        todo_.push_back({i.target, false});
    return false;
}

// Even to a return thunk: a breakpoint here would fire whether or not the branch is taken.
void Walk::branch(const Instruction& i) {
    if (leaves(i.target))
        exits_.tail_jumps.push_back(i.address);
    else
        todo_.push_back({i.target, false});
}

#if defined(__x86_64__)
constexpr bool known_machine = true;
#else
constexpr bool known_machine = false;
#endif

}  // namespace

Result<Exits> find_exits(std::span<const uint8_t> code, uint64_t address, std::span<const uint64_t> return_thunks) {
    if (!known_machine) return Error{"finding a function's returns is only done for x86-64", ""};
    auto decoder = Decoder::open();
    if (!decoder) return decoder.error();
    return Walk(*std::move(decoder), code, address, return_thunks).run();
}

}  // namespace lt
