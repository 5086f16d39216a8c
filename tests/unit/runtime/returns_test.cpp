// Small hand-made functions, one for each way in which code can go on or end. The bytes stand beside what they mean.
#include "runtime/programs/returns.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace lt {
namespace {

using Addresses = std::vector<uint64_t>;

constexpr uint64_t base = 0xffffffff81000000;
constexpr uint64_t thunk = base + 0x100;

class Code {
  public:
    Code(std::initializer_list<int> bytes) {
        for (int b : bytes) bytes_.push_back(static_cast<uint8_t>(b));
    }
    Result<Exits> exits() const { return find_exits({bytes_, base, std::span(&thunk, 1)}); }

  private:
    std::vector<uint8_t> bytes_;
};

void expect_exits(const Code& code, const Addresses& returns, const Addresses& tail_jumps = {}) {
    auto found = code.exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->returns, returns);
    EXPECT_EQ(found->tail_jumps, tail_jumps);
}

void expect_error(const Code& code, const char* what) {
    auto found = code.exits();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what, what);
}

TEST(Returns, Straight) {
    expect_exits({0xf3, 0x0f, 0x1e, 0xfa,  // endbr64
                  0x31, 0xc0,              // xor eax, eax
                  0xc3},                   // ret
                 {base + 6});
}

TEST(Returns, PaddingAfterTheEnd) {
    expect_exits({0xc3,                           // ret
                  0xcc, 0xcc, 0xcc, 0xcc,         // int3
                  0x0f, 0x1f, 0x44, 0x00, 0x00},  // nop
                 {base});
}

TEST(Returns, BothSidesOfABranch) {
    expect_exits({0x74, 0x01,   // je +3
                  0xc3,         // ret
                  0xf3, 0xc3},  // rep ret
                 {base + 2, base + 3});
}

TEST(Returns, WithBytesToPop) { expect_exits({0xc2, 0x08, 0x00}, {base}); }

TEST(Returns, JumpToThunk) {
    expect_exits({0xe9, 0xfb, 0x00, 0x00, 0x00,  // jmp thunk
                  0xcc},
                 {base});
}

TEST(Returns, BranchToThunkIsNoReturn) {
    expect_exits({0x0f, 0x84, 0xfa, 0x00, 0x00, 0x00,  // je thunk
                  0xc3},
                 {base + 6}, {base});
}

TEST(Returns, PatchedThunk) {
    expect_exits({0x74, 0x05,                    // je +7
                  0xc3, 0xcc, 0xcc, 0xcc, 0xcc,  // ret; int3, once a jump to the thunk
                  0x90,                          // nop
                  0xc3},
                 {base + 2, base + 8});
}

TEST(Returns, JumpIntoTheFunction) {
    expect_exits({0x90,        // nop
                  0x31, 0xc0,  // xor eax, eax
                  0x75, 0xfc,  // jne +1
                  0xeb, 0x01,  // jmp +8
                  0xcc,        //
                  0xc3},       // ret
                 {base + 8});
}

TEST(Returns, JumpOutside) {
    expect_exits({0x85, 0xff,                          // test edi, edi
                  0x0f, 0x85, 0x00, 0x10, 0x00, 0x00,  // jne far away, as to a .cold part
                  0xe9, 0x00, 0x20, 0x00, 0x00},       // jmp far away
                 {}, {base + 2, base + 8});
}

TEST(Returns, JumpToOwnEntryCountsAsACall) {
    expect_exits({0x31, 0xc0,  // xor eax, eax
                  0x75, 0xfc,  // jne entry
                  0xc3},
                 {base + 4}, {base + 2});
}

TEST(Returns, CallsGoOn) {
    expect_exits({0xe8, 0x00, 0x10, 0x00, 0x00,  // call
                  0xff, 0xd0,                    // call rax
                  0xc3},
                 {base + 7});
}

TEST(Returns, CallThatNeverReturns) {
    expect_exits({0x74, 0x01,                           // je +3
                  0xc3,                                 //
                  0xe8, 0x00, 0x10, 0x00, 0x00,         // call panic
                  0x0f, 0x1f, 0x40, 0x00, 0x66, 0x90},  // padding up to the next function
                 {base + 2});
    expect_exits({0xe8, 0x00, 0x10, 0x00, 0x00, 0xcc}, {});
}

TEST(Returns, WarningGoesOn) {
    expect_exits({0x74, 0x01,  // je +3
                  0xc3,        //
                  0x0f, 0x0b,  // ud2
                  0x31, 0xc0,  // xor eax, eax
                  0xc3},       // ret
                 {base + 2, base + 7});
}

TEST(Returns, TrapWithOperand) {
    expect_exits({0x67, 0x0f, 0xb9, 0x40, 0x00,  // ud1 eax, [eax + 0], as sanitizers leave it
                  0xc3},
                 {base + 5});
}

TEST(Returns, BugEnds) { expect_exits({0x74, 0x01, 0xc3, 0x0f, 0x0b}, {base + 2}); }

// As after an exception table's fixup or behind a static key that is off.
TEST(Returns, BlockThatNothingJumpsTo) {
    expect_exits({0x31, 0xc0,                    // xor eax, eax
                  0xc3,                          // ret
                  0xcc,                          //
                  0xb8, 0xf2, 0xff, 0xff, 0xff,  // mov eax, -EFAULT
                  0xc3},                         // ret
                 {base + 2, base + 9});
}

TEST(Returns, FallingOffTheEnd) {
    expect_exits({0xc3, 0x31, 0xc0}, {base}, {base + 1});
    expect_exits({0x31, 0xc0, 0x90}, {}, {base + 2});
}

TEST(Returns, OtherWaysToLeave) {
    expect_exits({0x48, 0xcf}, {}, {base});        // iretq
    expect_exits({0x48, 0x0f, 0x07}, {}, {base});  // sysretq
    expect_exits({0x48, 0xcb}, {}, {base});        // lretq
}

TEST(Returns, InstructionsYoungerThanTheDecoder) {
    expect_exits({0x0f, 0x01, 0xee,  // rdpkru
                  0x0f, 0x01, 0xe8,  // serialize
                  0xc3},
                 {base + 6});
}

TEST(Returns, IndirectJump) {
    expect_error({0x90, 0xff, 0xe0},  // jmp rax
                 "an indirect jump, whose targets are unknown, at 0xffffffff81000001");
    expect_error({0xff, 0x24, 0xc5, 0, 0, 0, 0},  // jmp [rax * 8]
                 "an indirect jump, whose targets are unknown, at 0xffffffff81000000");
}

TEST(Returns, UndecodableBytes) {
    expect_error({0x90, 0x06, 0xc3}, "an instruction that cannot be decoded at 0xffffffff81000001");
    expect_error({0x90, 0xe8, 0x00}, "an instruction that cannot be decoded at 0xffffffff81000001");
}

TEST(Returns, BreakpointOfAnotherTracer) {
    expect_error({0x31, 0xc0, 0xcc, 0xc3},
                 "a breakpoint instruction, set by another tracer or debugger, at 0xffffffff81000002");
}

TEST(Returns, NoCode) { expect_error({}, "the function has no code"); }

// ---- functions of programs

constexpr uint64_t grower = base + 0x1000, other = base + 0x2000, table = base + 0x3000;

class ProgramCode {
  public:
    ProgramCode(std::initializer_list<int> bytes, std::vector<uint64_t> entries = {}, unsigned entry_size = 8)
        : entries_(std::move(entries)), entry_size_(entry_size) {
        for (int b : bytes) bytes_.push_back(static_cast<uint8_t>(b));
    }
    Result<Exits> exits(bool with_grower = true) const {
        const auto constant = [this](uint64_t at, unsigned size) -> std::optional<uint64_t> {
            const uint64_t index = (at - table) / entry_size_;
            if (at < table || size != entry_size_ || index >= entries_.size()) return {};
            return entries_[index];
        };
        const std::span growers(&grower, with_grower ? 1 : 0);
        return find_exits({bytes_, base, {}, growers, constant});
    }
    uint64_t entry() const { return find_entry({bytes_, base, {}, std::span(&grower, 1), {}}); }

  private:
    std::vector<uint8_t> bytes_;
    std::vector<uint64_t> entries_;
    unsigned entry_size_;
};

// As Go's compiler has it.
const ProgramCode go_function{0x49, 0x3b, 0x66, 0x10,        // 0: cmp rsp, [r14 + 16]
                              0x76, 0x06,                    // 4: jbe c
                              0x48, 0xff, 0xc0,              // 6: inc rax
                              0xc3,                          // 9: ret
                              0x66, 0x90,                    // a: nop
                              0xe8, 0xef, 0x0f, 0x00, 0x00,  // c: call grower
                              0xeb, 0xed};                   // 11: jmp 0

TEST(ProgramReturns, EntryBehindTheCheckOfTheStack) {
    const auto found = go_function.exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->entry, base + 6);
    EXPECT_EQ(found->check, base + 4);
    EXPECT_EQ(go_function.entry(), base + 6);
    EXPECT_FALSE(found->entry_repeats);
    EXPECT_EQ(found->returns, Addresses{base + 9});
    EXPECT_EQ(found->tail_jumps, Addresses{});
}

// A frame so large that the stack's size is checked in two steps.
TEST(ProgramReturns, EntryBehindTwoChecks) {
    const auto found = ProgramCode{0x49, 0x89, 0xe4,                          // 0: mov r12, rsp
                                   0x49, 0x81, 0xec, 0x80, 0x13, 0x00, 0x00,  // 3: sub r12, 0x1380
                                   0x72, 0x07,                                // a: jb 13
                                   0x4d, 0x3b, 0x66, 0x10,                    // c: cmp r12, [r14 + 16]
                                   0x76, 0x01,                                // 10: jbe 13
                                   0xc3,                                      // 12: ret
                                   0xe8, 0xe8, 0x0f, 0x00, 0x00,              // 13: call grower
                                   0xeb, 0xe6}                                // 18: jmp 0
                           .exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->entry, base + 0x12);
    EXPECT_EQ(found->check, base + 0x10);
    EXPECT_EQ(found->returns, Addresses{base + 0x12});
    EXPECT_EQ(found->tail_jumps, Addresses{});
}

// The same bytes where the callee is any function.
TEST(ProgramReturns, JumpToTheBeginningIsNoCall) {
    const auto found = go_function.exits(false);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->entry, base);
    EXPECT_EQ(found->check, 0);
    EXPECT_TRUE(found->entry_repeats);
    EXPECT_EQ(found->tail_jumps, Addresses{base + 0x11});
    EXPECT_EQ(found->plain_jumps, Addresses{});
}

TEST(ProgramReturns, LoopAtTheBeginning) {
    const auto found = ProgramCode{0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3}.exits();  // dec rax; jne 0; ret
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_TRUE(found->entry_repeats);
}

TEST(ProgramReturns, TailCalls) {
    const auto found = ProgramCode{0x74, 0x05,                          // 0: je 7
                                   0xe9, 0xf9, 0x1f, 0x00, 0x00,        // 2: jmp other
                                   0x0f, 0x84, 0xf3, 0x1f, 0x00, 0x00,  // 7: je other
                                   0xc3, 0xcc, 0xcc}                    // d: ret, padding
                           .exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->returns, Addresses{base + 0xd});
    EXPECT_EQ(found->tail_jumps, (Addresses{base + 2, base + 7}));
    EXPECT_EQ(found->plain_jumps, Addresses{base + 2});
}

// lea rcx, [rip + table]; jmp [rcx + rax * 8]; then a return for each entry
constexpr std::initializer_list<int> jump_by_addresses{0x48, 0x8d, 0x0d, 0xf9, 0x2f, 0x00, 0x00,  // 0
                                                       0xff, 0x24, 0xc1,                          // 7
                                                       0xc3, 0x31, 0xc0, 0xc3};                   // a, b

TEST(ProgramReturns, TableOfAddresses) {
    const auto found = ProgramCode(jump_by_addresses, {base + 0xb, base + 0xa, other}).exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->returns, (Addresses{base + 0xa, base + 0xd}));
    EXPECT_EQ(found->tail_jumps, Addresses{});
}

// Functions to call last, and not places in this one.
TEST(ProgramReturns, TableOfFunctions) {
    for (const std::vector<uint64_t>& entries : {std::vector{other, base + 0xa}, std::vector{base}, {}}) {
        const auto found = ProgramCode(jump_by_addresses, entries).exits();
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().what, "an indirect jump, whose targets are unknown, at 0xffffffff81000007");
    }
}

TEST(ProgramReturns, TableOfOffsets) {
    const auto found = ProgramCode({0x48, 0x8d, 0x15, 0xf9, 0x2f, 0x00, 0x00,  // 0: lea rdx, [rip + table]
                                    0x48, 0x63, 0x04, 0x82,                    // 7: movsxd rax, [rdx + rax * 4]
                                    0x48, 0x01, 0xd0,                          // b: add rax, rdx
                                    0x3e, 0xff, 0xe0,                          // e: notrack jmp rax
                                    0xc3, 0x31, 0xc0, 0xc3},                   // 11, 12
                                   {0xffffd011, 0xffffd012}, 4)
                           .exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->returns, (Addresses{base + 0x11, base + 0x14}));
}

// A table gives the jump back to the entry away.
TEST(ProgramReturns, TableWithTheEntry) {
    const auto found = ProgramCode({0x49, 0x3b, 0x66, 0x10,                    // 0: cmp rsp, [r14 + 16]
                                    0x76, 0x0b,                                // 4: jbe 11
                                    0x48, 0x8d, 0x0d, 0xf3, 0x2f, 0x00, 0x00,  // 6: lea rcx, [rip + table]
                                    0xff, 0x24, 0xc1,                          // d: jmp [rcx + rax * 8]
                                    0xc3,                                      // 10: ret
                                    0xe8, 0xea, 0x0f, 0x00, 0x00,              // 11: call grower
                                    0xeb, 0xe8},                               // 16: jmp 0
                                   {base + 0x10, base + 6})
                           .exits();
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_EQ(found->entry, base + 6);
    EXPECT_TRUE(found->entry_repeats);
}

TEST(ProgramReturns, CallsThroughPointersAtTheEnd) {
    for (const ProgramCode& code : {ProgramCode{0x48, 0x8b, 0x47, 0x08, 0xff, 0xe0},     // mov rax, [rdi + 8]; jmp rax
                                    ProgramCode{0xff, 0x24, 0xc7},                       // jmp [rdi + rax * 8]
                                    ProgramCode{0xff, 0x25, 0x00, 0x10, 0x00, 0x00}}) {  // jmp [rip + 0x1000]
        const auto found = code.exits();
        ASSERT_FALSE(found);
        EXPECT_TRUE(found.error().what.starts_with("an indirect jump")) << found.error().what;
    }
}

TEST(ProgramReturns, UnknownBytes) {
    const auto found = ProgramCode{0x06, 0xc3}.exits();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().what, "an instruction that cannot be decoded at 0xffffffff81000000");
}

}  // namespace
}  // namespace lt
