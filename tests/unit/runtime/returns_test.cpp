// Small hand-made functions, one for each way in which code can go on or end. The bytes stand beside what they mean.
#include "returns.h"

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
    Result<Exits> exits() const { return find_exits(bytes_, base, std::span(&thunk, 1)); }

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
                 "an indirect jump, whose targets are not known, at 0xffffffff81000001");
    expect_error({0xff, 0x24, 0xc5, 0, 0, 0, 0},  // jmp [rax * 8]
                 "an indirect jump, whose targets are not known, at 0xffffffff81000000");
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

}  // namespace
}  // namespace lt
