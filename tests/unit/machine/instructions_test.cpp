// Each class of instruction, and what it does at its edges.
#include "machine/run.h"

namespace lt::machine {
namespace {

constexpr uint64_t ones = ~uint64_t{0};

struct Arith {
    Instruction instruction;
    uint64_t dst;
    uint64_t src;
    uint64_t expected;
};

// r0 op r1, both loaded wide.
Result<uint64_t> compute(const Arith& c) {
    Assembler a;
    a.function("main");
    a.wide(r0, c.dst).wide(r1, c.src) << c.instruction << exit_();
    return machine_of(a).run("main");
}

void expect_all(std::span<const Arith> cases) {
    for (size_t n = 0; n < cases.size(); ++n)
        EXPECT_TRUE(returns(cases[n].expected, compute(cases[n]))) << "case " << n;
}

TEST(Arithmetic, Wide) {
    const Arith cases[] = {
        {alu64(BPF_ADD, r0, r1), ones, 2, 1},
        {alu64(BPF_ADD, r0, -1), 5, 0, 4},
        {alu64(BPF_SUB, r0, r1), 1, 2, ones},
        {alu64(BPF_MUL, r0, r1), uint64_t{1} << 40, 1 << 30, uint64_t{1} << 40 << 30},
        {alu64(BPF_DIV, r0, r1), ones, 2, ones / 2},
        {alu64(BPF_DIV, r0, -1), 7, 0, 0},  // the immediate is sign-extended
        {alu64(BPF_MOD, r0, r1), 17, 5, 2},
        {alu64(BPF_OR, r0, r1), 0xf0, 0x0f, 0xff},
        {alu64(BPF_AND, r0, r1), 0xfc, 0x3f, 0x3c},
        {alu64(BPF_XOR, r0, r1), 0xff, 0x0f, 0xf0},
        {alu64(BPF_NEG, r0, 0), 1, 0, ones},
        {mov(r0, -1), 0, 0, ones},
        {mov(r0, r1), 0, 9, 9},
        {alu64(BPF_LSH, r0, 63), 1, 0, uint64_t{1} << 63},
        {alu64(BPF_RSH, r0, 63), ones, 0, 1},
        {alu64(BPF_ARSH, r0, 63), uint64_t{1} << 63, 0, ones},
    };
    expect_all(cases);
}

TEST(Arithmetic, NarrowZeroExtends) {
    const Arith cases[] = {
        {alu32(BPF_ADD, r0, r1), ones, 1, 0},           {alu32(BPF_SUB, r0, r1), 0, 1, 0xffffffff},
        {alu32(BPF_MUL, r0, r1), 0x1'0000'0003, 5, 15}, {alu32(BPF_DIV, r0, r1), 0xffff'0000'0008, 2, 4},
        {alu32(BPF_MOV, r0, -1), 0, 0, 0xffffffff},     {alu32(BPF_MOV, r0, r1), 0, ones, 0xffffffff},
        {alu32(BPF_NEG, r0, 0), 1, 0, 0xffffffff},      {alu32(BPF_ARSH, r0, 4), 0x80000000, 0, 0xf8000000},
        {alu32(BPF_RSH, r0, 31), ones, 0, 1},           {alu32(BPF_LSH, r0, 31), 3, 0, 0x80000000},
    };
    expect_all(cases);
}

TEST(Arithmetic, ShiftCountsOfRegistersAreMasked) {
    const Arith cases[] = {
        {alu64(BPF_LSH, r0, r1), 1, 64, 1}, {alu64(BPF_LSH, r0, r1), 1, 65, 2},
        {alu64(BPF_RSH, r0, r1), 8, 67, 1}, {alu64(BPF_ARSH, r0, r1), ones, 127, ones},
        {alu32(BPF_LSH, r0, r1), 1, 32, 1}, {alu32(BPF_LSH, r0, r1), 1, 33, 2},
        {alu32(BPF_RSH, r0, r1), 8, 35, 1}, {alu32(BPF_ARSH, r0, r1), 0x80000000, 63, 0xffffffff},
    };
    expect_all(cases);
}

TEST(Arithmetic, DivisionByZero) {
    const Arith cases[] = {
        {alu64(BPF_DIV, r0, r1), 7, 0, 0},
        {alu64(BPF_MOD, r0, r1), ones, 0, ones},
        {alu32(BPF_DIV, r0, r1), 7, 0xffffffff00000000, 0},
        {alu32(BPF_MOD, r0, r1), ones, 0, 0xffffffff},
        {alu64(BPF_DIV, r0, r1, 1), 7, 0, 0},
        {alu64(BPF_MOD, r0, r1, 1), ones, 0, ones},
    };
    expect_all(cases);
}

TEST(Arithmetic, SignedDivision) {
    constexpr uint64_t smallest = uint64_t{1} << 63;
    const Arith cases[] = {
        {alu64(BPF_DIV, r0, r1, 1), negative(7), 2, negative(3)},
        {alu64(BPF_MOD, r0, r1, 1), negative(7), 2, negative(1)},
        {alu64(BPF_DIV, r0, -2, 1), negative(7), 0, 3},
        {alu64(BPF_DIV, r0, r1, 1), smallest, ones, smallest},
        {alu64(BPF_MOD, r0, r1, 1), smallest, ones, 0},
        {alu32(BPF_DIV, r0, r1, 1), 0x80000000, 0xffffffff, 0x80000000},
        {alu32(BPF_MOD, r0, r1, 1), 0x80000000, 0xffffffff, 0},
        {alu32(BPF_DIV, r0, r1, 1), 0xfffffff9, 2, 0xfffffffd},
    };
    expect_all(cases);
}

TEST(Arithmetic, SignExtendingMoves) {
    const Arith cases[] = {
        {alu64(BPF_MOV, r0, r1, 8), 0, 0x180, negative(128)},
        {alu64(BPF_MOV, r0, r1, 16), 0, 0x17fff, 0x7fff},
        {alu64(BPF_MOV, r0, r1, 32), 0, 0x80000000, 0xffffffff80000000},
        {alu32(BPF_MOV, r0, r1, 8), 0, 0x80, 0xffffff80},
        {alu32(BPF_MOV, r0, r1, 16), 0, 0x8000, 0xffff8000},
    };
    expect_all(cases);
}

TEST(Arithmetic, ByteSwaps) {
    constexpr uint64_t v = 0x0102030405060708;
    const Arith cases[] = {
        {to_be(r0, 16), v, 0, 0x0807}, {to_be(r0, 32), v, 0, 0x08070605}, {to_be(r0, 64), v, 0, 0x0807060504030201},
        {to_le(r0, 16), v, 0, 0x0708}, {to_le(r0, 32), v, 0, 0x05060708}, {to_le(r0, 64), v, 0, v},
        {bswap(r0, 16), v, 0, 0x0807}, {bswap(r0, 32), v, 0, 0x08070605}, {bswap(r0, 64), v, 0, 0x0807060504030201},
    };
    expect_all(cases);
}

TEST(Arithmetic, RefusesWhatDoesNotExist) {
    EXPECT_TRUE(refuses("shift of 64 bits by 64", run_code({mov(r0, 1), alu64(BPF_LSH, r0, 64), exit_()})));
    EXPECT_TRUE(refuses("shift of 32 bits by 32", run_code({mov(r0, 1), alu32(BPF_RSH, r0, 32), exit_()})));
    EXPECT_TRUE(refuses("constant 0", run_code({mov(r0, 1), alu64(BPF_DIV, r0, 0), exit_()})));
    EXPECT_TRUE(refuses("no such instruction", run_code({mov(r0, 1), alu64(BPF_ADD, r0, 1, 1), exit_()})));
    EXPECT_TRUE(refuses("no such instruction", run_code({mov(r0, 1), alu32(BPF_MOV, r0, r0, 32), exit_()})));
    EXPECT_TRUE(refuses("no such instruction", run_code({mov(r0, 1), to_be(r0, 24), exit_()})));
    EXPECT_TRUE(refuses("r10 is read-only", run_code({mov(r10, 1), exit_()})));
}

struct Jump {
    uint8_t op;
    uint64_t left;
    int32_t right;
    bool wide;
    bool narrow;
};

constexpr Jump jumps[] = {
    {BPF_JEQ, 5, 5, true, true},
    {BPF_JEQ, 0x1'0000'0005, 5, false, true},
    {BPF_JNE, 0x1'0000'0005, 5, true, false},
    {BPF_JGT, 0x1'0000'0000, 1, true, false},
    {BPF_JGE, 7, 7, true, true},
    {BPF_JLT, 0x1'0000'0000, 1, false, true},
    {BPF_JLE, 7, 7, true, true},
    {BPF_JGT, ones, -1, false, false},
    {BPF_JSGT, ones, -2, true, true},
    {BPF_JSGT, 0xffffffff, 0, true, false},
    {BPF_JSGE, ones, -1, true, true},
    {BPF_JSLT, 0xffffffff, 0, false, true},
    {BPF_JSLE, ones, -1, true, true},
    {BPF_JSET, 0x1'0000'0004, 4, true, true},
    {BPF_JSET, 0x1'0000'0000, 4, false, false},
};

TEST(Jumps, Conditions) {
    for (const Jump& j : jumps) {
        for (const bool wide : {true, false}) {
            Assembler a;
            a.function("main").wide(r1, j.left) << mov(r0, 1);
            a << (wide ? jmp(j.op, r1, j.right, 1) : jmp32(j.op, r1, j.right, 1)) << mov(r0, 0) << exit_();
            EXPECT_TRUE(returns(wide ? j.wide : j.narrow, machine_of(a).run("main"))) << int{j.op} << " " << j.left;
        }
    }
}

TEST(Jumps, Unconditional) {
    EXPECT_TRUE(returns(1, run_code({mov(r0, 1), ja(1), mov(r0, 2), exit_()})));
    EXPECT_TRUE(returns(1, run_code({mov(r0, 1), gotol(1), mov(r0, 2), exit_()})));
    EXPECT_TRUE(returns(3, run_code({mov(r0, 0), add(r0, 1), jmp(BPF_JLT, r0, 3, -2), exit_()})));
}

TEST(Jumps, OutOfTheFunctionIsRefused) {
    EXPECT_TRUE(refuses("program main, instruction 2: outside its function", run_code({mov(r0, 1), ja(0)})));
    EXPECT_TRUE(refuses("outside its function", run_code({mov(r0, 1), ja(-9), exit_()})));
}

TEST(Loads, SizesAndSigns) {
    Assembler a;
    a.function("main").wide(r1, 0x8899aabbccddeeff) << stx(BPF_DW, r10, -8, r1);
    Object base = a.object();
    const std::pair<Instruction, uint64_t> cases[] = {
        {ldx(BPF_B, r0, r10, -8), 0xff},
        {ldx(BPF_H, r0, r10, -8), 0xeeff},
        {ldx(BPF_W, r0, r10, -8), 0xccddeeff},
        {ldx(BPF_DW, r0, r10, -8), 0x8899aabbccddeeff},
        {ldx(BPF_W, r0, r10, -4), 0x8899aabb},
        {ldsx(BPF_B, r0, r10, -8), ones},
        {ldsx(BPF_H, r0, r10, -8), 0xffffffffffffeeff},
        {ldsx(BPF_W, r0, r10, -8), 0xffffffffccddeeff},
    };
    for (const auto& [load, expected] : cases) {
        Object o = base;
        o.code.insert(o.code.end(), {load, exit_()});
        o.functions[0].end = o.code.size();
        EXPECT_TRUE(returns(expected, Machine::create(o)->run("main")));
    }
}

TEST(Stores, OnlyTheirBytes) {
    EXPECT_TRUE(returns(0xffffffffffffff07,
                        run_code({st(BPF_DW, r10, -8, -1), st(BPF_B, r10, -8, 7), ldx(BPF_DW, r0, r10, -8), exit_()})));
    EXPECT_TRUE(returns(0xffff0007ffffffff, run_code({mov(r1, 0x90007), st(BPF_DW, r10, -8, -1),
                                                      stx(BPF_H, r10, -4, r1), ldx(BPF_DW, r0, r10, -8), exit_()})));
}

TEST(Memory, StackBounds) {
    EXPECT_TRUE(returns(0, run_code({st(BPF_DW, r10, -512, 0), ldx(BPF_DW, r0, r10, -512), exit_()})));
    EXPECT_TRUE(refuses("write of 8 bytes at offset -8 of the stack frame",
                        run_code({st(BPF_DW, r10, -520, 0), mov(r0, 0), exit_()})));
    EXPECT_TRUE(refuses("write of 8 bytes at offset 512 of the stack frame, which has 512 bytes",
                        run_code({st(BPF_DW, r10, 0, 0), mov(r0, 0), exit_()})));
    EXPECT_TRUE(refuses("misaligned", run_code({st(BPF_DW, r10, -12, 0), mov(r0, 0), exit_()})));
}

TEST(Memory, UninitialisedStackIsRefused) {
    EXPECT_TRUE(refuses("program main, instruction 0: read of 8 bytes at offset 504 of the stack frame: byte 0",
                        run_code({ldx(BPF_DW, r0, r10, -8), exit_()})));
    EXPECT_TRUE(
        refuses("byte 4 is uninitialised", run_code({st(BPF_W, r10, -8, 0), ldx(BPF_DW, r0, r10, -8), exit_()})));
}

TEST(Memory, UninitialisedRegisterIsRefused) {
    EXPECT_TRUE(refuses("instruction 0: register r3 is uninitialised", run_code({mov(r0, r3), exit_()})));
    EXPECT_TRUE(refuses("register r2", run_code({alu64(BPF_ADD, r2, 1), exit_()})));
    EXPECT_TRUE(refuses("register r0", run_code({exit_()})));
    EXPECT_TRUE(refuses("register r1", run_code({call(BPF_FUNC_ktime_get_ns), mov(r0, r1), exit_()})));
}

TEST(Memory, NullAndWildPointers) {
    EXPECT_TRUE(refuses("null pointer plus 16", run_code({mov(r1, 0), ldx(BPF_W, r0, r1, 16), exit_()})));
    EXPECT_TRUE(refuses("not memory of the program", run_code({mov(r1, -1), ldx(BPF_B, r0, r1, 0), exit_()})));
}

TEST(Memory, ContextIsReadOnlyUnlessSaid) {
    Bytes context = bytes_of(uint64_t{41});
    const std::vector<Instruction> code = {ldx(BPF_DW, r0, r1, 0), add(r0, 1), stx(BPF_DW, r1, 0, r0), exit_()};
    EXPECT_TRUE(refuses("at offset 0 of the context, which is read-only", run_code(code, context)));
    Assembler a;
    a.function("main") << code;
    EXPECT_TRUE(returns(42, machine_of(a).run_writable("main", context)));
    EXPECT_EQ(context, bytes_of(uint64_t{42}));
    EXPECT_TRUE(refuses("which has 8 bytes", run_code({ldx(BPF_DW, r0, r1, 8), exit_()}, context)));
}

struct Atomic {
    int32_t op;
    uint64_t wide;  // memory afterwards
    uint64_t narrow;
};

// Memory 0xf0f0'f0f0'ffff'ffff, operand 0x1'0000'0003.
constexpr Atomic atomics[] = {
    {BPF_ADD, 0xf0f0f0f200000002, 0xf0f0f0f000000002},  {BPF_OR, 0xf0f0f0f1ffffffff, 0xf0f0f0f0ffffffff},
    {BPF_AND, 0x0000000000000003, 0xf0f0f0f000000003},  {BPF_XOR, 0xf0f0f0f1fffffffc, 0xf0f0f0f0fffffffc},
    {BPF_XCHG, 0x0000000100000003, 0xf0f0f0f000000003},
};

Result<uint64_t> run_atomic(uint8_t size, int32_t op, Register result) {
    Assembler a;
    a.function("main").wide(r1, 0xf0f0f0f0ffffffff) << stx(BPF_DW, r10, -8, r1);
    a.wide(r2, 0x100000003) << atomic(size, op, r10, -8, r2) << ldx(BPF_DW, r3, r10, -8) << mov(r0, result) << exit_();
    return machine_of(a).run("main");
}

TEST(Atomics, ChangeMemoryAndFetch) {
    for (const Atomic& c : atomics) {
        EXPECT_TRUE(returns(c.wide, run_atomic(BPF_DW, c.op, r3))) << c.op;
        EXPECT_TRUE(returns(c.narrow, run_atomic(BPF_W, c.op, r3))) << c.op;
        EXPECT_TRUE(returns(0xf0f0f0f0ffffffff, run_atomic(BPF_DW, c.op | BPF_FETCH, r2))) << c.op;
        EXPECT_TRUE(returns(0xffffffff, run_atomic(BPF_W, c.op | BPF_FETCH, r2))) << c.op;
    }
    EXPECT_TRUE(returns(0x100000003, run_atomic(BPF_DW, BPF_ADD, r2)));
    EXPECT_TRUE(refuses("no such instruction", run_atomic(BPF_H, BPF_ADD, r2)));
    EXPECT_TRUE(refuses("no such instruction", run_atomic(BPF_DW, BPF_SUB, r2)));
}

TEST(Atomics, CompareAndExchange) {
    auto exchange = [](uint8_t size, int32_t expected, Register result) {
        return run_code({st(BPF_DW, r10, -8, -5), mov(r0, expected), mov(r1, 9), atomic(size, BPF_CMPXCHG, r10, -8, r1),
                         ldx(BPF_DW, r2, r10, -8), mov(r0, result), exit_()});
    };
    EXPECT_TRUE(returns(9, exchange(BPF_DW, -5, r2)));
    EXPECT_TRUE(returns(negative(5), exchange(BPF_DW, -5, r0)));
    EXPECT_TRUE(returns(negative(5), exchange(BPF_DW, 1, r2)));
    EXPECT_TRUE(returns(negative(5), exchange(BPF_DW, 1, r0)));
    EXPECT_TRUE(returns(0xffffffff00000009, exchange(BPF_W, -5, r2)));
    EXPECT_TRUE(returns(0xfffffffb, exchange(BPF_W, -5, r0)));
}

TEST(Atomics, AreAligned) {
    EXPECT_TRUE(refuses("misaligned", run_code({mov(r1, 0), st(BPF_DW, r10, -8, 0), st(BPF_DW, r10, -16, 0),
                                                atomic(BPF_DW, BPF_ADD, r10, -12, r1), mov(r0, 0), exit_()})));
}

TEST(Calls, FramesAreSeparate) {
    Assembler a;
    a.function("main") << mov(r6, 5) << mov(r1, 2) << st(BPF_DW, r10, -8, 1) << call_function(3)
                       << ldx(BPF_DW, r1, r10, -8) << alu64(BPF_ADD, r0, r1) << exit_();
    a.function("twice") << alu64(BPF_ADD, r1, r1) << st(BPF_DW, r10, -8, 7) << mov(r6, 0) << mov(r0, r1) << exit_();
    EXPECT_TRUE(returns(5, machine_of(a).run("main")));
}

TEST(Calls, ClobberArgumentsAndHideSavedRegisters) {
    Assembler a;
    a.function("main") << mov(r1, 0) << call_function(2) << mov(r0, r1) << exit_();
    a.function("callee") << mov(r0, 0) << exit_();
    EXPECT_TRUE(refuses("program main, instruction 2: register r1", machine_of(a).run("main")));
    Assembler b;
    b.function("main") << mov(r6, 0) << call_function(1) << exit_();
    b.function("callee") << mov(r0, r6) << exit_();
    EXPECT_TRUE(refuses("program main, instruction 3 of callee: register r6", machine_of(b).run("main")));
}

TEST(Calls, AreLimited) {
    Assembler a;
    a.function("main") << call_function(-1) << exit_();
    EXPECT_TRUE(refuses("more than 8 frames", machine_of(a).run("main")));
    EXPECT_TRUE(refuses("not the start of a function", run_code({call_function(1), mov(r0, 0), exit_()})));
    EXPECT_TRUE(refuses("helper 9999 is not simulated", run_code({call(9999), exit_()})));
    EXPECT_TRUE(refuses("call of a kernel function", run_code({{call_code, 0, BPF_PSEUDO_KFUNC_CALL, 0, 1}, exit_()})));
}

TEST(Machine, CountsInstructionsUpToALimit) {
    Assembler a;
    a.function("main").wide(r1, 1) << mov(r0, 0) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(0, m.run("main")));
    EXPECT_EQ(m.instructions(), 3U);
    EXPECT_TRUE(refuses("more than 1000000 instructions", run_code({ja(-1), exit_()})));
    m.environment().instruction_limit = 2;
    EXPECT_TRUE(refuses("program main, instruction 3: more than 2 instructions", m.run("main")));
    EXPECT_TRUE(refuses("no program other", m.run("other")));
}

TEST(Machine, DataSections) {
    Assembler a;
    a.data({".data", Bytes(8, 1), false, {{"counter", 4, 4}}}).data({".rodata", bytes_of(uint32_t{77}), true, {}});
    a.function("main").refer(r1, ReferenceKind::data, 0, 4).refer(r2, ReferenceKind::data, 1)
        << ldx(BPF_W, r0, r2, 0) << stx(BPF_W, r1, 0, r0) << exit_();
    a.function("bad").refer(r2, ReferenceKind::data, 1) << st(BPF_W, r2, 0, 1) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(77, m.run("main")));
    EXPECT_EQ(*m.variable("counter"), bytes_of(uint32_t{77}));
    EXPECT_TRUE(m.set_variable("counter", bytes_of(uint32_t{1})));
    EXPECT_EQ(*m.variable("counter"), bytes_of(uint32_t{1}));
    EXPECT_TRUE(refuses("section .rodata, which is read-only", m.run("bad")));
}

TEST(Machine, DirectKernelReads) {
    Assembler a;
    a.function("main") << ldx(BPF_DW, r1, r1, 0) << ldx(BPF_W, r0, r1, 4) << exit_();
    Machine m = machine_of(a);
    constexpr uint64_t pointer = 0xffff888000002000;
    const Bytes context = bytes_of(pointer);
    EXPECT_TRUE(refuses("not memory of the program", m.run("main", context)));
    m.environment().direct_kernel_reads = true;
    EXPECT_TRUE(returns(0, m.run("main", context)));
    m.environment().kernel.put(pointer + 4, bytes_of(uint32_t{6}));
    EXPECT_TRUE(returns(6, m.run("main", context)));
}

}  // namespace
}  // namespace lt::machine
