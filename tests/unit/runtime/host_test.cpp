// A plan may come from anywhere: what lt's interpreter does with programs that no compiler of ours made.
#include "runtime/host/host.h"

#include <gtest/gtest.h>

#include "machine/assemble.h"

namespace lt {
namespace {

using machine::Assembler;
using machine::r0;
using machine::r1;
using machine::r10;
using machine::r2;
using machine::r3;
using machine::r4;
using machine::r5;

// One map of each kind, as the kernel would have them.
class FakeMaps final : public RawMaps {
  public:
    size_t value_size(size_t) const override { return 16; }
    Status each(size_t map, const Take& take) override {
        if (map == 0 || is_late) take(Bytes(8, 1), Bytes(8, 7));
        return Done{};
    }
    Result<std::optional<Bytes>> lookup(size_t, KeyBytes) override { return std::optional(Bytes(8, 7)); }
    int update(size_t, KeyBytes, std::span<const uint8_t>, uint64_t) override { return ++updates, 0; }
    int erase(size_t, KeyBytes) override { return 0; }
    std::optional<Bytes> take(size_t, KeyBytes) override { return {}; }
    Status clear(size_t) override { return Done{}; }
    Status wait_for_programs() override { return Done{}; }
    Status set_generation(uint32_t, uint64_t) override { return Done{}; }
    std::span<uint8_t> memory(size_t) override { return {}; }
    int updates = 0;
    bool is_late = false;  // has a program added to the second map?
};

class FakePort final : public HostPort {
  public:
    explicit FakePort(const Plan& plan) : maps_(plan, std::make_unique<FakeMaps>()) {}
    Maps& maps() override { return maps_; }
    Result<uint64_t> change(size_t, KeyBytes, uint64_t, uint64_t) override {
        return Error{"there is no program", "", 0};
    }
    std::span<uint8_t> section(std::string_view) override { return {}; }
    Status record(std::span<const uint8_t>) override { return ++records, Done{}; }
    bool interrupted() override { return stop; }
    uint64_t ktime_get_ns() override { return static_cast<FakeMaps&>(maps_.raw()).is_late = true; }
    uint64_t ktime_get_boot_ns() override { return 1; }
    uint64_t ktime_get_tai_ns() override { return 1; }
    uint64_t get_current_pid_tgid() override { return 1; }
    uint64_t get_current_uid_gid() override { return 1; }
    uint64_t get_prandom_u32() override { return 1; }
    uint64_t get_smp_processor_id() override { return 0; }
    std::string_view comm() override { return "lt"; }
    int updates() { return static_cast<FakeMaps&>(maps_.raw()).updates; }
    int records = 0;
    bool stop = false;

  private:
    Maps maps_;
};

class HostTest : public testing::Test {
  protected:
    HostTest() {
        PlannedMap map;
        map.name = "@m";
        map.symbol = "at_m";
        map.key = {integer_type()};
        map.key_size = 8;
        map.value = integer_type();
        map.value_size = 8;
        map.max_entries = 10;
        plan_.maps.push_back(map);
        port_ = std::make_unique<FakePort>(plan_);
    }

    // The end of the script's run: "", "interrupted" or what was wrong.
    std::string run(const std::function<void(Assembler&)>& code) {
        Assembler a;
        a.map("at_m", BPF_MAP_TYPE_HASH, 8, 8, 10);
        a.map("other", BPF_MAP_TYPE_HASH, 8, 8, 10);
        a.map("at_n", BPF_MAP_TYPE_HASH, 8, 8, 10);
        a.function("main");
        code(a);
        a << machine::mov(r0, 0) << machine::exit_();
        auto host = Host::open(plan_, *port_, a.object());
        if (!host) return host.error().what;
        const auto ran = (*host)->run("main");
        if (!ran) return ran.error().what;
        return *ran == Host::Ran::whole ? "" : "interrupted";
    }

    static void call(Assembler& a, HostCall what) { a << machine::call(host_helper(what)); }
    static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

    Plan plan_;
    std::unique_ptr<FakePort> port_;
};

TEST_F(HostTest, MemoryIsCheckedAgainstItsBounds) {
    const auto store_at = [&](int16_t offset) {
        return run([&](Assembler& a) {
            a << machine::mov(r1, 16);
            call(a, HostCall::room);
            a << machine::st(BPF_DW, r0, offset, 1);
        });
    };
    EXPECT_EQ(store_at(8), "");
    EXPECT_TRUE(has(store_at(16), "which has 16 bytes")) << store_at(16);
    EXPECT_NE(store_at(-8), "");
    EXPECT_NE(run([](Assembler& a) { a.wide(r1, 0x7f0000000000) << machine::ldx(BPF_DW, r0, r1, 0); }), "");
}

TEST_F(HostTest, WhatAProgramAllocatesHasALimit) {
    EXPECT_TRUE(has(run([](Assembler& a) { a.wide(r1, uint64_t{1} << 40), call(a, HostCall::room); }), "more memory"));
    const std::string all = run([](Assembler& a) {
        for (int i = 0; i < 40; i++) a << machine::mov(r1, 1 << 23), call(a, HostCall::room);
    });
    EXPECT_TRUE(has(all, "256 MB")) << all;
}

TEST_F(HostTest, EntriesOfAWalkAreReadOnlyAndCounted) {
    const auto entry = [&](int i, bool writes) {
        return run([&](Assembler& a) {
            a.refer(r1, machine::ReferenceKind::map, 0)
                << machine::mov(r2, 1) << machine::mov(r3, -1) << machine::mov(r4, 0) << machine::mov(r5, 0);
            call(a, HostCall::walk);
            a << machine::mov(r1, r0) << machine::mov(r2, i);
            call(a, HostCall::entry);
            writes ? a << machine::st(BPF_DW, r0, 0, 1) : a << machine::ldx(BPF_DW, r1, r0, 8);
        });
    };
    EXPECT_EQ(entry(0, false), "");
    EXPECT_TRUE(has(entry(0, true), "read-only")) << entry(0, true);
    EXPECT_TRUE(has(entry(1, false), "no such entry"));
    EXPECT_TRUE(has(run([](Assembler& a) { a << machine::mov(r1, 77), call(a, HostCall::count); }), "no such walk"));
}

TEST_F(HostTest, MapsAreThoseOfThePlan) {
    const auto lookup = [&](size_t map) {
        return run([&](Assembler& a) {
            a << machine::st(BPF_DW, r10, -8, 5) << machine::mov(r2, r10) << machine::add(r2, -8);
            a.refer(r1, machine::ReferenceKind::map, map)
                << machine::call(BPF_FUNC_map_lookup_elem) << machine::st(BPF_DW, r0, 0, 1);
        });
    };
    EXPECT_EQ(lookup(0), "");
    EXPECT_EQ(port_->updates(), 1);  // what was changed is written back
    EXPECT_TRUE(has(lookup(1), "this map is not supported here"));
    EXPECT_TRUE(has(run([](Assembler& a) { a << machine::mov(r1, 3) << machine::mov(r2, 3), call(a, HostCall::read); }),
                    "not a map"));
}

// What a program adds to the second map while the block goes through the first one is still there after both are
// cleared.
TEST_F(HostTest, MapsThatABlockClearsAreReadTogether) {
    plan_.maps[0].cleared_by_difference = true;
    plan_.maps.push_back(plan_.maps[0]);
    plan_.maps[1].name = "@n";
    plan_.maps[1].symbol = "at_n";
    for (uint32_t map : {0U, 1U}) {
        PlannedEvent event;
        event.kind = EventKind::clear;
        event.map = map;
        event.printed = true;
        plan_.events.push_back(event);
    }
    const auto finds_it = [&](bool walks_before) {
        port_ = std::make_unique<FakePort>(plan_);
        return run([&](Assembler& a) {
                   if (walks_before) {
                       a.refer(r1, machine::ReferenceKind::map, 0)
                           << machine::mov(r2, 1) << machine::mov(r3, -1) << machine::mov(r4, 0) << machine::mov(r5, 0);
                       call(a, HostCall::walk);
                   }
                   a << machine::call(BPF_FUNC_ktime_get_ns);
                   a.wide(r3, 0x0101010101010101) << machine::stx(BPF_DW, r10, -8, r3);
                   a << machine::mov(r2, r10) << machine::add(r2, -8);
                   a.refer(r1, machine::ReferenceKind::map, 2);
                   call(a, HostCall::read);
                   a << machine::ldx(BPF_DW, r1, r0, 0);
               })
            .empty();
    };
    EXPECT_TRUE(finds_it(false));
    EXPECT_FALSE(finds_it(true));
}

TEST_F(HostTest, OnlyReservedRecordsAreHandedOver) {
    EXPECT_EQ(run([](Assembler& a) {
                  a << machine::mov(r1, 0) << machine::mov(r2, 16) << machine::mov(r3, 0)
                    << machine::call(BPF_FUNC_ringbuf_reserve) << machine::mov(r1, r0) << machine::mov(r2, 0)
                    << machine::call(BPF_FUNC_ringbuf_submit);
              }),
              "");
    EXPECT_EQ(port_->records, 1);
    EXPECT_TRUE(has(run([](Assembler& a) {
                        a << machine::mov(r1, r10) << machine::mov(r2, 0) << machine::call(BPF_FUNC_ringbuf_submit);
                    }),
                    "not a reserved record"));
    EXPECT_EQ(port_->records, 1);
}

TEST_F(HostTest, HelpersOfTheKernelAloneAreRefused) {
    EXPECT_TRUE(has(run([](Assembler& a) { a << machine::call(BPF_FUNC_get_current_task); }), "helper"));
}

TEST_F(HostTest, WhatDoesNotEndCanBeInterrupted) {
    port_->stop = true;
    EXPECT_EQ(run([](Assembler& a) { a << machine::ja(-1); }), "interrupted");
}

}  // namespace
}  // namespace lt
