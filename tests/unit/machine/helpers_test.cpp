// Each helper: what it returns, what it leaves in memory, and the errors the kernel would give.
#include <cerrno>

#include "machine/run.h"

namespace lt::machine {
namespace {

// A u32 key at fp-4, a u64 value at fp-16, map 0 in r1.
Assembler& keyed_call(Assembler& a, int32_t key, int32_t value, int32_t flags, int32_t helper) {
    a << st(BPF_W, r10, -4, key) << st(BPF_DW, r10, -16, value);
    a.refer(r1, ReferenceKind::map, 0) << mov(r2, r10) << add(r2, -4) << mov(r3, r10) << add(r3, -16) << mov(r4, flags);
    return a << call(helper);
}

// Programs "update", "exist", "noexist", "delete", "lookup", "other_cpu", for key 7 and "update8" for key 8.
Machine machine_with(uint32_t type, uint32_t entries, unsigned cpus = 1) {
    Assembler a;
    a.map("m", type, 4, 8, entries);
    keyed_call(a.function("update"), 7, 70, BPF_ANY, BPF_FUNC_map_update_elem) << exit_();
    keyed_call(a.function("update8"), 8, 80, BPF_ANY, BPF_FUNC_map_update_elem) << exit_();
    keyed_call(a.function("exist"), 7, 71, BPF_EXIST, BPF_FUNC_map_update_elem) << exit_();
    keyed_call(a.function("noexist"), 7, 72, BPF_NOEXIST, BPF_FUNC_map_update_elem) << exit_();
    keyed_call(a.function("flags"), 7, 72, 9, BPF_FUNC_map_update_elem) << exit_();
    keyed_call(a.function("delete"), 7, 0, 0, BPF_FUNC_map_delete_elem) << exit_();
    keyed_call(a.function("lookup"), 7, 0, 0, BPF_FUNC_map_lookup_elem)
        << jmp(BPF_JEQ, r0, 0, 1) << ldx(BPF_DW, r0, r0, 0) << exit_();
    keyed_call(a.function("beyond"), 7, 0, 0, BPF_FUNC_map_lookup_elem) << ldx(BPF_DW, r0, r0, 1) << exit_();
    a.function("other_cpu") << st(BPF_W, r10, -4, 7);
    a.refer(r1, ReferenceKind::map, 0) << mov(r2, r10) << add(r2, -4) << mov(r3, 1);
    a << call(BPF_FUNC_map_lookup_percpu_elem) << jmp(BPF_JEQ, r0, 0, 1) << ldx(BPF_DW, r0, r0, 0) << exit_();
    return machine_of(a, cpus);
}

const Bytes key7 = bytes_of(uint32_t{7});
const Bytes key8 = bytes_of(uint32_t{8});

TEST(Hash, UpdateLookupDelete) {
    Machine m = machine_with(BPF_MAP_TYPE_HASH, 1);
    EXPECT_TRUE(returns(0, m.run("lookup")));
    EXPECT_TRUE(returns(negative(ENOENT), m.run("exist")));
    EXPECT_TRUE(returns(0, m.run("update")));
    EXPECT_TRUE(returns(70, m.run("lookup")));
    EXPECT_TRUE(returns(negative(EEXIST), m.run("noexist")));
    EXPECT_TRUE(returns(negative(EINVAL), m.run("flags")));
    EXPECT_TRUE(returns(0, m.run("exist")));
    EXPECT_TRUE(returns(71, m.run("lookup")));
    EXPECT_TRUE(returns(negative(E2BIG), m.run("update8")));
    EXPECT_TRUE(refuses("read of 8 bytes at offset 1 of value of map m, which has 8 bytes", m.run("beyond")));
    EXPECT_TRUE(returns(0, m.run("delete")));
    EXPECT_TRUE(returns(negative(ENOENT), m.run("delete")));
    EXPECT_TRUE(returns(0, m.run("update8")));
    EXPECT_TRUE(refuses("the map is not per-CPU", m.run("other_cpu")));
}

TEST(Hash, FromTheHost) {
    Machine m = machine_with(BPF_MAP_TYPE_HASH, 2);
    EXPECT_TRUE(m.update("m", key7, bytes_of(uint64_t{5})));
    EXPECT_TRUE(returns(5, m.run("lookup")));
    EXPECT_TRUE(returns(0, m.run("update8")));
    const Entries expected = {{key7, bytes_of(uint64_t{5})}, {key8, bytes_of(uint64_t{80})}};
    EXPECT_EQ(*m.entries("m"), expected);
    EXPECT_EQ(*m.lookup("m", key8), bytes_of(uint64_t{80}));
    EXPECT_TRUE(m.erase("m", key8));
    EXPECT_EQ(*m.lookup("m", key8), std::nullopt);
    EXPECT_EQ(m.erase("m", key8).error().code, ENOENT);
    EXPECT_FALSE(m.update("m", key7, key7));
    EXPECT_FALSE(m.lookup("m", Bytes(3)));
    EXPECT_FALSE(m.entries("none"));
}

TEST(Hash, AReplacedValueStaysReadableUntilTheRunEnds) {
    Assembler a;
    a.map("m", BPF_MAP_TYPE_HASH, 4, 8, 4);
    keyed_call(a.function("main"), 7, 1, 0, BPF_FUNC_map_update_elem);
    keyed_call(a, 7, 0, 0, BPF_FUNC_map_lookup_elem) << mov(r6, r0);
    keyed_call(a, 7, 2, 0, BPF_FUNC_map_update_elem) << ldx(BPF_DW, r0, r6, 0) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(1, m.run("main")));
    EXPECT_EQ(*m.lookup("m", key7), bytes_of(uint64_t{2}));
}

TEST(Hash, PerCpu) {
    Machine m = machine_with(BPF_MAP_TYPE_PERCPU_HASH, 4, 2);
    m.environment().cpu = 1;
    EXPECT_TRUE(returns(0, m.run("update")));
    m.environment().cpu = 0;
    EXPECT_TRUE(returns(0, m.run("lookup")));
    EXPECT_TRUE(returns(70, m.run("other_cpu")));
    Bytes both = bytes_of(uint64_t{0});
    const Bytes second = bytes_of(uint64_t{70});
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_EQ(*m.lookup("m", key7), both);
    m.environment().cpu = 2;
    EXPECT_TRUE(refuses("no CPU 2", m.run("lookup")));
}

TEST(Hash, PerCpuValuesArePadded) {
    Assembler a;
    a.map("m", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 3, 1).function("main") << mov(r0, 0) << exit_();
    Machine m = machine_of(a, 2);
    EXPECT_EQ(m.entries("m")->at(0).second.size(), 16U);
    Bytes value(16, 9);
    EXPECT_TRUE(m.update("m", Bytes(4), value));
    EXPECT_EQ(*m.lookup("m", Bytes(4)), (Bytes{9, 9, 9, 0, 0, 0, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0}));
}

TEST(Hash, LruEvictsTheOldest) {
    Machine m = machine_with(BPF_MAP_TYPE_LRU_HASH, 2);
    EXPECT_TRUE(m.update("m", key8, bytes_of(uint64_t{1})));
    EXPECT_TRUE(returns(0, m.run("update")));
    EXPECT_TRUE(returns(0, m.run("update8")));
    EXPECT_TRUE(m.update("m", bytes_of(uint32_t{9}), bytes_of(uint64_t{1})));
    EXPECT_EQ(*m.lookup("m", key7), std::nullopt);
    EXPECT_EQ(m.entries("m")->size(), 2U);
}

TEST(Array, ElementsExist) {
    Machine m = machine_with(BPF_MAP_TYPE_ARRAY, 8);
    EXPECT_TRUE(returns(0, m.run("lookup")));
    EXPECT_TRUE(returns(negative(EEXIST), m.run("noexist")));
    EXPECT_TRUE(returns(0, m.run("exist")));
    EXPECT_TRUE(returns(71, m.run("lookup")));
    EXPECT_TRUE(returns(negative(E2BIG), m.run("update8")));
    EXPECT_TRUE(returns(negative(EINVAL), m.run("delete")));
    const auto entries = *m.entries("m");
    ASSERT_EQ(entries.size(), 8U);
    EXPECT_EQ(entries[7], std::pair(key7, bytes_of(uint64_t{71})));
    EXPECT_EQ(entries[0].second, Bytes(8));
    Machine small = machine_with(BPF_MAP_TYPE_ARRAY, 7);
    EXPECT_TRUE(refuses("null pointer plus 1", small.run("beyond")));
}

TEST(Maps, ArgumentsAreChecked) {
    Assembler a;
    a.map("m", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096);
    keyed_call(a.function("ring"), 7, 0, 0, BPF_FUNC_map_lookup_elem) << exit_();
    a.function("none") << mov(r1, 1) << mov(r2, 1) << call(BPF_FUNC_map_lookup_elem) << exit_();
    a.function("key").refer(r1, ReferenceKind::map, 0) << mov(r2, r10) << call(BPF_FUNC_map_lookup_elem) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(refuses("helper map_lookup_elem: not for map m", m.run("ring")));
    EXPECT_TRUE(refuses("is not a map", m.run("none")));
    a.map("n", 1, 4, 8, 1).function("uninitialised").refer(r1, ReferenceKind::map, 1)
        << mov(r2, r10) << add(r2, -4) << call(BPF_FUNC_map_lookup_elem) << exit_();
    EXPECT_TRUE(refuses("helper map_lookup_elem: key: read of 4 bytes at offset 508 of the stack frame: byte 0",
                        machine_of(a).run("uninitialised")));
    Assembler b;
    b.map("odd", BPF_MAP_TYPE_DEVMAP, 4, 4, 4);
    EXPECT_FALSE(Machine::create(b.object()));
}

Assembler& reserve(Assembler& a, int32_t size) {
    return a.refer(r1, ReferenceKind::map, 0) << mov(r2, size) << mov(r3, 0) << call(BPF_FUNC_ringbuf_reserve);
}

TEST(Ring, ReserveSubmitDiscard) {
    Assembler a;
    a.map("ring", BPF_MAP_TYPE_RINGBUF, 0, 0, 64);
    for (const auto& [name, helper] :
         {std::pair("submit", BPF_FUNC_ringbuf_submit), {"discard", BPF_FUNC_ringbuf_discard}})
        reserve(a.function(name), 8) << jmp(BPF_JNE, r0, 0, 2) << mov(r0, 1) << exit_() << st(BPF_DW, r0, 0, 5)
                                     << mov(r1, r0) << mov(r2, 0) << call(helper) << mov(r0, 0) << exit_();
    reserve(a.function("leak"), 8) << mov(r0, 0) << exit_();
    reserve(a.function("beyond"), 8) << st(BPF_W, r0, 8, 1) << exit_();
    reserve(a.function("after"), 8) << mov(r6, r0) << mov(r1, r0) << mov(r2, 0) << call(BPF_FUNC_ringbuf_submit)
                                    << ldx(BPF_DW, r0, r6, 0) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(0, m.run("submit")));
    EXPECT_TRUE(returns(0, m.run("discard")));
    EXPECT_TRUE(returns(0, m.run("submit")));
    EXPECT_TRUE(returns(1, m.run("submit")));  // three records of 16 bytes, and one byte stays free
    EXPECT_EQ(*m.lost("ring"), 1U);
    EXPECT_EQ(*m.drain("ring"), std::vector<Bytes>(2, bytes_of(uint64_t{5})));
    EXPECT_TRUE(m.drain("ring")->empty());
    EXPECT_TRUE(returns(0, m.run("submit")));
    EXPECT_TRUE(m.set_capacity("ring", 16));
    EXPECT_TRUE(returns(1, m.run("submit")));
    EXPECT_TRUE(m.set_capacity("ring", 4096));
    EXPECT_TRUE(refuses("program leak: leaves a record of ring buffer ring reserved", m.run("leak")));
    EXPECT_TRUE(refuses("which has 8 bytes", m.run("beyond")));
    EXPECT_TRUE(refuses("not memory of the program", m.run("after")));
}

TEST(Ring, OutputAndQuery) {
    Assembler a;
    a.map("ring", BPF_MAP_TYPE_RINGBUF, 0, 0, 32);
    a.function("main") << st(BPF_W, r10, -4, 3);
    a.refer(r1, ReferenceKind::map, 0) << mov(r2, r10) << add(r2, -4) << mov(r3, 4) << mov(r4, 0)
                                       << call(BPF_FUNC_ringbuf_output) << exit_();
    const auto flags = {BPF_RB_AVAIL_DATA, BPF_RB_RING_SIZE, BPF_RB_CONS_POS, BPF_RB_PROD_POS};
    for (int flag : flags)
        a.function("query" + std::to_string(flag)).refer(r1, ReferenceKind::map, 0)
            << mov(r2, flag) << call(BPF_FUNC_ringbuf_query) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(0, m.run("main")));
    EXPECT_TRUE(returns(negative(EAGAIN), m.run("main")));
    EXPECT_EQ(*m.drain("ring"), std::vector<Bytes>{bytes_of(uint32_t{3})});
    EXPECT_TRUE(returns(0, m.run("main")));
    EXPECT_TRUE(returns(16, m.run("query0")));
    EXPECT_TRUE(returns(32, m.run("query1")));
    EXPECT_TRUE(returns(16, m.run("query2")));
    EXPECT_TRUE(returns(32, m.run("query3")));
}

// Calls helper(fp-16, size, address) and returns r0, or the 8 bytes it left there.
Assembler probe(int32_t helper, int32_t size, uint64_t address) {
    Assembler a;
    for (const char* name : {"result", "bytes"}) {
        a.function(name) << mov(r1, r10) << add(r1, -16) << mov(r2, size);
        a.wide(r3, address) << call(helper);
        if (std::string_view(name) == "bytes") a << ldx(BPF_DW, r0, r10, -16);
        a << exit_();
    }
    return a;
}

constexpr uint64_t kernel_at = 0xffff888000100000;
constexpr uint64_t user_at = 0x7f0000001000;

void expect_probe(int32_t helper, int32_t size, uint64_t address, uint64_t result, uint64_t bytes) {
    Assembler a = probe(helper, size, address);
    Machine m = machine_of(a);
    m.environment().kernel.put(kernel_at, bytes_of(uint32_t{0x11223344}));
    m.environment().kernel.put(kernel_at + 4, bytes_of(uint32_t{0x55667788}));
    m.environment().kernel.put(kernel_at + 64, "abc");
    m.environment().user.put(user_at, "user");
    EXPECT_TRUE(returns(result, m.run("result"))) << helper << " " << address;
    EXPECT_TRUE(returns(bytes, m.run("bytes"))) << helper << " " << address;
}

TEST(ProbeRead, KernelAndUser) {
    constexpr uint64_t whole = 0x5566778811223344;
    expect_probe(BPF_FUNC_probe_read_kernel, 8, kernel_at, 0, whole);
    expect_probe(BPF_FUNC_probe_read, 8, kernel_at, 0, whole);
    expect_probe(BPF_FUNC_probe_read_user, 8, kernel_at, negative(EFAULT), 0);
    expect_probe(BPF_FUNC_probe_read_kernel, 8, user_at, negative(EFAULT), 0);
    expect_probe(BPF_FUNC_probe_read_kernel, 8, kernel_at + 4, negative(EFAULT), 0);
    expect_probe(BPF_FUNC_probe_read, 8, 0, negative(EFAULT), 0);
    Assembler a = probe(BPF_FUNC_probe_read_kernel, 17, kernel_at);
    EXPECT_TRUE(refuses("destination: write of 17 bytes at offset 496", machine_of(a).run("result")));
}

TEST(ProbeRead, Strings) {
    constexpr uint64_t rest = 0xa5a5a5a500000000;  // what a string does not reach keeps its bytes
    expect_probe(BPF_FUNC_probe_read_kernel_str, 8, kernel_at + 64, 4, rest | 0x636261);
    expect_probe(BPF_FUNC_probe_read_str, 8, kernel_at + 64, 4, rest | 0x636261);
    expect_probe(BPF_FUNC_probe_read_user_str, 8, user_at, 5, 0xa5a5a50072657375);
    expect_probe(BPF_FUNC_probe_read_user_str, 8, user_at + 5, negative(EFAULT), 0);
    expect_probe(BPF_FUNC_probe_read_kernel_str, 12, kernel_at, negative(EFAULT), 0);
    Assembler a = probe(BPF_FUNC_probe_read_user_str, 3, user_at);
    Machine m = machine_of(a);
    m.environment().user.put(user_at, "user");
    EXPECT_TRUE(returns(3, m.run("result")));
}

TEST(ProbeRead, OfTheProgramsOwnMemory) {
    const std::vector<Instruction> code = {mov(r1, r10),
                                           add(r1, -16),
                                           mov(r2, 8),
                                           mov(r3, r10),
                                           add(r3, -8),
                                           st(BPF_DW, r10, -8, 6),
                                           call(BPF_FUNC_probe_read_kernel),
                                           ldx(BPF_DW, r0, r10, -16),
                                           exit_()};
    EXPECT_TRUE(returns(6, run_code(code)));
}

TEST(Strings, CommAndStrncmp) {
    Assembler a;
    a.data({".rodata", {'a', 'b', 0, 'a', 'c', 0, 'a', 'b', 'x', 0}, true, {}});
    const auto compare = [&](const char* name, uint64_t left, uint64_t right, int32_t size) {
        a.function(name).refer(r1, ReferenceKind::data, 0, left).refer(r3, ReferenceKind::data, 0, right)
            << mov(r2, size) << call(BPF_FUNC_strncmp) << exit_();
    };
    compare("less", 0, 3, 3);
    compare("greater", 3, 0, 3);
    compare("prefix", 6, 0, 2);
    compare("longer", 6, 0, 4);
    a.function("comm") << mov(r1, r10) << add(r1, -8) << mov(r2, 8) << call(BPF_FUNC_get_current_comm)
                       << ldx(BPF_DW, r0, r10, -8) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(negative(1), m.run("less")));
    EXPECT_TRUE(returns(1, m.run("greater")));
    EXPECT_TRUE(returns(0, m.run("prefix")));
    EXPECT_TRUE(returns(1, m.run("longer")));
    m.environment().task.comm = "kworker/0:1";
    EXPECT_TRUE(returns(0x0072656b726f776b, m.run("comm")));
}

struct Answer {
    int32_t helper;
    uint64_t expected;
};

TEST(Environment, AnswersQuestions) {
    const Answer answers[] = {
        {BPF_FUNC_ktime_get_ns, 1000},
        {BPF_FUNC_ktime_get_boot_ns, 1515},
        {BPF_FUNC_ktime_get_coarse_ns, 1020},
        {BPF_FUNC_get_smp_processor_id, 1},
        {BPF_FUNC_get_current_pid_tgid, 0x0000000b0000000c},
        {BPF_FUNC_get_current_uid_gid, 0x0000000e0000000d},
        {BPF_FUNC_get_current_task, 0xffff888000001000},
        {BPF_FUNC_get_current_task_btf, 0xffff888000001000},
        {BPF_FUNC_get_current_cgroup_id, 21},
        {BPF_FUNC_get_func_ip, 0xffffffff81000000},
        {BPF_FUNC_get_attach_cookie, 77},
        {BPF_FUNC_get_func_arg_cnt, 2},
    };
    Assembler a;
    for (const Answer& q : answers) a.function(std::to_string(q.helper)) << call(q.helper) << exit_();
    Machine m = machine_of(a, 2);
    Environment& e = m.environment();
    e.cpu = 1;
    e.now = 1000;
    e.time_step = 10;
    e.boot_offset = 505;
    e.task.tgid = 11;
    e.task.pid = 12;
    e.task.uid = 13;
    e.task.gid = 14;
    e.cgroup = 21;
    e.function_ip = 0xffffffff81000000;
    e.attach_cookie = 77;
    e.function_arguments = 2;
    for (const Answer& q : answers) EXPECT_TRUE(returns(q.expected, m.run(std::to_string(q.helper)))) << q.helper;
}

TEST(Environment, RandomNumbersAreTheSameInEachRun) {
    const std::vector<Instruction> code = {call(BPF_FUNC_get_prandom_u32), mov(r6, r0), call(BPF_FUNC_get_prandom_u32),
                                           alu64(BPF_XOR, r0, r6), exit_()};
    const uint64_t first = *run_code(code);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(first, *run_code(code));
}

TEST(TracedFunction, ArgumentsAndReturnValue) {
    Assembler a;
    for (int n = 0; n < 3; ++n)
        a.function("arg" + std::to_string(n))
            << st(BPF_DW, r10, -8, 0) << mov(r2, n) << mov(r3, r10) << add(r3, -8) << call(BPF_FUNC_get_func_arg)
            << ldx(BPF_DW, r1, r10, -8) << alu64(BPF_ADD, r0, r1) << exit_();
    a.function("ret") << mov(r2, r10) << add(r2, -8) << call(BPF_FUNC_get_func_ret) << ldx(BPF_DW, r1, r10, -8)
                      << alu64(BPF_ADD, r0, r1) << exit_();
    a.function("ret_code") << mov(r2, r10) << add(r2, -8) << call(BPF_FUNC_get_func_ret) << exit_();
    Machine m = machine_of(a);
    m.environment().function_arguments = 2;
    Bytes context;
    for (const uint64_t v : {10U, 20U, 30U}) {
        const Bytes b = bytes_of(v);
        context.insert(context.end(), b.begin(), b.end());
    }
    EXPECT_TRUE(returns(10, m.run("arg0", context)));
    EXPECT_TRUE(returns(20, m.run("arg1", context)));
    EXPECT_TRUE(returns(negative(EINVAL), m.run("arg2", context)));
    EXPECT_TRUE(returns(30, m.run("ret", context)));
    context.resize(16);
    EXPECT_TRUE(returns(negative(EOPNOTSUPP), m.run("ret_code", context)));
}

TEST(Stacks, IdsAndFrames) {
    Assembler a;
    a.map("stacks", BPF_MAP_TYPE_STACK_TRACE, 4, 16, 1024);
    for (int flags : {0, 1, 256})
        a.function("id" + std::to_string(flags)).refer(r2, ReferenceKind::map, 0)
            << mov(r3, flags) << call(BPF_FUNC_get_stackid) << exit_();
    for (const char* name : {"length", "second"}) {
        a.function(name) << mov(r2, r10) << add(r2, -32) << mov(r3, 32) << mov(r4, 0) << call(BPF_FUNC_get_stack);
        if (std::string_view(name) == "second") a << ldx(BPF_DW, r0, r10, -24);
        a << exit_();
    }
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(negative(EFAULT), m.run("id0")));
    m.environment().kernel_stack = {1, 2, 3};
    const auto whole = m.run("id0");
    const auto skipped = m.run("id1");
    EXPECT_EQ(*whole, *m.run("id0"));
    EXPECT_NE(*whole, *skipped);
    EXPECT_TRUE(returns(negative(EFAULT), m.run("id256")));
    EXPECT_EQ(m.entries("stacks")->size(), 2U);
    const auto frames = *m.lookup("stacks", bytes_of(static_cast<uint32_t>(*skipped)));
    EXPECT_EQ(frames->front(), 2U);
    EXPECT_TRUE(returns(24, m.run("length")));
    EXPECT_TRUE(returns(2, m.run("second")));
}

TEST(TaskStorage, IsPerTask) {
    Assembler a;
    a.map("s", BPF_MAP_TYPE_TASK_STORAGE, 4, 8, 0);
    for (int flags : {0, 1}) {
        a.function("get" + std::to_string(flags)) << call(BPF_FUNC_get_current_task_btf) << mov(r2, r0);
        a.refer(r1, ReferenceKind::map, 0)
            << mov(r3, 0) << mov(r4, flags) << call(BPF_FUNC_task_storage_get) << jmp(BPF_JNE, r0, 0, 2) << mov(r0, -1)
            << exit_() << ldx(BPF_DW, r1, r0, 0) << add(r1, 1) << stx(BPF_DW, r0, 0, r1) << mov(r0, r1) << exit_();
    }
    a.function("delete") << call(BPF_FUNC_get_current_task_btf) << mov(r2, r0);
    a.refer(r1, ReferenceKind::map, 0) << call(BPF_FUNC_task_storage_delete) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(returns(negative(1), m.run("get0")));
    EXPECT_TRUE(returns(1, m.run("get1")));
    EXPECT_TRUE(returns(2, m.run("get0")));
    m.environment().task.pid = 1001;
    m.environment().task.address += 0x1000;
    EXPECT_TRUE(returns(negative(1), m.run("get0")));
    EXPECT_TRUE(returns(1, m.run("get1")));
    EXPECT_EQ(m.entries("s")->size(), 2U);
    EXPECT_TRUE(returns(0, m.run("delete")));
    EXPECT_TRUE(returns(negative(ENOENT), m.run("delete")));
}

// Adds its index to the u64 its second argument points to, and stops at 3.
Assembler& counting_callback(Assembler& a, Register index, Register sum) {
    a.function("callback") << ldx(BPF_DW, r5, sum, 0) << alu64(BPF_ADD, r5, index) << stx(BPF_DW, sum, 0, r5);
    return a << mov(r0, 0) << jmp(BPF_JNE, index, 3, 1) << mov(r0, 1) << exit_();
}

Assembler looping(int32_t times, int32_t flags, bool sum) {
    Assembler a;
    counting_callback(a, r1, r2);
    a.function("main") << st(BPF_DW, r10, -8, 0) << mov(r1, times);
    a.refer(r2, ReferenceKind::function, 0) << mov(r3, r10) << add(r3, -8) << mov(r4, flags) << call(BPF_FUNC_loop);
    if (sum) a << ldx(BPF_DW, r0, r10, -8);
    a << exit_();
    return a;
}

TEST(Callbacks, Loop) {
    const auto run = [](Assembler a) { return machine_of(a).run("main"); };
    EXPECT_TRUE(returns(2, run(looping(2, 0, false))));
    EXPECT_TRUE(returns(1, run(looping(2, 0, true))));
    EXPECT_TRUE(returns(4, run(looping(100, 0, false))));
    EXPECT_TRUE(returns(6, run(looping(100, 0, true))));
    EXPECT_TRUE(returns(negative(EINVAL), run(looping(2, 1, false))));
    EXPECT_TRUE(returns(negative(E2BIG), run(looping((1 << 23) + 1, 0, false))));
}

TEST(Callbacks, AnErrorNamesTheCallback) {
    Assembler a;
    a.function("bad") << mov(r0, 2) << exit_();
    a.function("worse") << mov(r0, r9) << exit_();
    for (const size_t n : {0U, 1U}) {
        a.function("main" + std::to_string(n)) << mov(r1, 1);
        a.refer(r2, ReferenceKind::function, n) << mov(r3, 0) << mov(r4, 0) << call(BPF_FUNC_loop) << exit_();
    }
    Machine m = machine_of(a);
    EXPECT_TRUE(refuses("the callback returned 2", m.run("main0")));
    EXPECT_TRUE(refuses("program main1, instruction 2 of worse: helper loop: register r9", m.run("main1")));
}

TEST(Callbacks, ForEachMapElem) {
    Assembler a;
    a.map("m", BPF_MAP_TYPE_HASH, 4, 8, 8);
    a.function("callback") << ldx(BPF_DW, r3, r3, 0) << ldx(BPF_DW, r5, r4, 0) << alu64(BPF_ADD, r5, r3)
                           << stx(BPF_DW, r4, 0, r5) << mov(r0, 0) << exit_();
    a.function("main") << st(BPF_DW, r10, -8, 0);
    a.refer(r1, ReferenceKind::map, 0).refer(r2, ReferenceKind::function, 0)
        << mov(r3, r10) << add(r3, -8) << mov(r4, 0) << call(BPF_FUNC_for_each_map_elem) << ldx(BPF_DW, r1, r10, -8)
        << alu64(BPF_LSH, r0, 8) << alu64(BPF_ADD, r0, r1) << exit_();
    Machine m = machine_of(a);
    EXPECT_TRUE(m.update("m", key7, bytes_of(uint64_t{30})));
    EXPECT_TRUE(m.update("m", key8, bytes_of(uint64_t{12})));
    EXPECT_TRUE(returns(2 << 8 | 42, m.run("main")));
}

}  // namespace
}  // namespace lt::machine
