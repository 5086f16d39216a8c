#include <gtest/gtest.h>

#include <algorithm>

#include "driver/triage/machine.h"
#include "driver/triage/suspects.h"

namespace lt::triage {
namespace {

constexpr uint64_t second = 1'000'000'000, millisecond = 1'000'000;

Evidence ten_seconds(std::vector<Charge> charges) { return {.seconds = 10, .cpus = 2, .charges = std::move(charges)}; }

TEST(Rank, nothing_from_nothing) {
    EXPECT_TRUE(rank({}).empty());
    EXPECT_TRUE(rank(ten_seconds({})).empty());
    EXPECT_TRUE(rank({.seconds = 0, .charges = {{.kind = Kind::cpu, .name = "hog", .ns = second}}}).empty());
}

TEST(Rank, by_what_it_cost_others) {
    const auto all = rank(ten_seconds({
        {.kind = Kind::cpu, .number = 7, .name = "hog", .victim = "a", .count = 10, .ns = 2 * second},
        {.kind = Kind::dns, .number = 53, .name = "10.0.0.1", .victim = "b", .count = 4, .ns = 3 * second},
        {.kind = Kind::cpu, .number = 7, .name = "hog", .victim = "b", .count = 5, .ns = 2 * second},
    }));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].kind, Kind::cpu);
    EXPECT_DOUBLE_EQ(all[0].cost, 400);  // milliseconds per second
    EXPECT_EQ(all[0].waits, 15u);
    EXPECT_EQ(all[0].victims.at("a"), 2 * second);
    EXPECT_EQ(all[0].what, "hog (process 7) had the CPU");
    EXPECT_DOUBLE_EQ(all[1].cost, 300);
    EXPECT_EQ(all[1].what, "the DNS server 10.0.0.1");
}

TEST(Rank, little_is_noise) {
    const Charge charge{
        .kind = Kind::cpu, .number = 7, .name = "hog", .victim = "a", .count = 1, .ns = 99 * millisecond};
    EXPECT_TRUE(rank(ten_seconds({charge})).empty());
    EXPECT_EQ(rank(ten_seconds({charge, charge})).size(), 1u);
    EXPECT_EQ(rank(ten_seconds({charge}), 0).size(), 1u);
}

TEST(Rank, processes_of_one_name_are_one_suspect) {
    const auto all =
        rank(ten_seconds({{.kind = Kind::cpu, .number = 7, .name = "cc1", .victim = "a", .ns = second},
                          {.kind = Kind::cpu, .number = 8, .name = "cc1", .victim = "a", .ns = 2 * second}}));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].members, 2u);
    EXPECT_EQ(all[0].number, 8u);
    EXPECT_EQ(all[0].what, "cc1 had the CPU (2 processes, most of all 8)");
}

// All waits on a word that once had a holder are waits for a lock; a word without one may be a condition variable.
TEST(Rank, futexes_that_are_locks) {
    const auto all = rank(ten_seconds({
        {.kind = Kind::user_lock,
         .process = 5,
         .name = "m",
         .holder = "x",
         .holder_tid = 6,
         .victim = "a",
         .ns = second},
        {.kind = Kind::user_lock, .process = 5, .name = "m", .victim = "a", .ns = 4 * second},
        {.kind = Kind::user_lock, .process = 5, .name = "c", .victim = "a", .ns = 9 * second},
        {.kind = Kind::user_lock, .process = 9, .name = "m", .victim = "a", .ns = 9 * second},
    }));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_DOUBLE_EQ(all[0].cost, 500);
    EXPECT_EQ(all[0].what, "the lock m of process 5");
    EXPECT_EQ(all[0].holders.size(), 1u);
    EXPECT_EQ(all[0].holders.at("x (thread 6)"), second);
    ASSERT_EQ(all[0].evidence.size(), 3u);
    EXPECT_EQ(all[0].evidence[1], "held by x (thread 6) 100 ms/s");
    EXPECT_EQ(all[0].evidence[2], "holder not known: 400 ms/s");
}

Evidence limited(double flight) {
    Evidence e = ten_seconds(
        {{.kind = Kind::disk, .number = 3, .device = 8 << 20, .victim = "db", .count = 80, .ns = 10 * second}});
    e.groups.io[1] = {.path = "/g"};
    e.groups.io[2] = {.path = "/g/a", .io_limits = {{8, 0, "riops=10"}}};
    e.groups.io[3] = {.path = "/g/a/b"};
    e.groups.io[4] = {.path = "/g/a2"};
    e.disks[8 << 20] = {.name = "sda", .requests = 10, .flight = flight, .each = flight / 10};
    return e;
}

// What threads wait for a disk and the disk does not take, a limit of the group or of one above takes.
TEST(Rank, limits_on_disks) {
    auto all = rank(limited(2));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].kind, Kind::io_limit);
    EXPECT_NEAR(all[0].cost, 998, 0.1);
    EXPECT_EQ(all[0].what, "the I/O limit of /g/a/b");
    all = rank(limited(900));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].kind, Kind::disk);
    EXPECT_EQ(all[0].what, "disk sda");
    EXPECT_NEAR(all[0].cost, 900, 0.1);
    EXPECT_NEAR(all[1].cost, 100, 0.1);
    Evidence other = limited(2);
    other.charges[0].number = 4;  // whose path only begins alike
    EXPECT_EQ(rank(other)[0].kind, Kind::disk);
    other.charges[0].number = 99;  // unknown
    EXPECT_EQ(rank(other)[0].kind, Kind::disk);
}

// A limit on one disk holds back no requests to another.
TEST(Rank, waits_for_a_disk_without_limit_are_the_disks) {
    Evidence e = limited(2);
    e.charges[0].device = 8 << 20 | 16;
    e.disks[8 << 20 | 16] = {.name = "sdb", .requests = 10, .flight = 900, .each = 90};
    auto all = rank(e);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].what, "disk sdb");
    EXPECT_NEAR(all[0].cost, 1000, 0.1);
    // such waits are not what the limited disk did not take, either
    e.charges.push_back({.kind = Kind::disk, .number = 3, .device = 8 << 20, .victim = "db", .ns = 10 * second});
    e.disks[8 << 20].flight = 900;
    double limit = 0;
    for (const Suspect& each : rank(e)) limit += each.kind == Kind::io_limit ? each.cost : 0;
    EXPECT_NEAR(limit, 100, 0.1);
}

// Requests to a partition, and to a device that is made of others, go to the disks below.
TEST(Rank, limits_on_disks_below) {
    constexpr uint64_t whole = 8 << 20, partition = whole | 1, made = 253 << 20;
    Evidence e = limited(2);
    e.below = {{partition, {whole}}, {made, {whole}}};
    e.charges[0].device = partition;
    EXPECT_EQ(rank(e)[0].kind, Kind::io_limit);
    e.groups.io[2].io_limits[0].major = 253;
    EXPECT_EQ(rank(e)[0].kind, Kind::io_limit);
    e.below.clear();
    EXPECT_EQ(rank(e)[0].kind, Kind::disk);
    e.charges[0].device = 0;  // unknown: it may be the limited one
    EXPECT_EQ(rank(e)[0].kind, Kind::io_limit);
}

TEST(Rank, the_nearest_group_that_limits_the_disk_counts) {
    Evidence e = limited(900);
    e.groups.io[1].io_limits.push_back({8, 16, "riops=10"});
    e.charges[0].device = 8 << 20 | 16;
    e.disks[8 << 20 | 16] = {.name = "sdb", .requests = 10, .flight = 200, .each = 20};
    const auto all = rank(e);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].kind, Kind::io_limit);
    EXPECT_NEAR(all[0].cost, 800, 0.1);
}

// The disk's own time is that of all groups below the limit together.
TEST(Rank, a_limit_above_several_groups_is_one) {
    Evidence e = limited(900);
    e.groups.io[5] = {.path = "/g/a/c"};
    e.charges.push_back(
        {.kind = Kind::disk, .number = 5, .device = 8 << 20, .victim = "db2", .count = 80, .ns = 10 * second});
    double disk = 0, limit = 0;
    for (const Suspect& each : rank(e)) (each.kind == Kind::disk ? disk : limit) += each.cost;
    EXPECT_NEAR(disk, 900, 0.1);
    EXPECT_NEAR(limit, 1100, 0.1);
}

TEST(Rank, a_quota_of_a_group_above_is_named) {
    Evidence e = ten_seconds({{.kind = Kind::quota, .number = 2, .victim = "db", .count = 5, .ns = second}});
    e.groups.cpu[1] = {.path = "/g/a", .quota = "20000 of 100000 us", .periods = 9, .throttled = 5};
    e.groups.cpu[2] = {.path = "/g/a/b"};
    EXPECT_EQ(rank(e).at(0).what, "the CPU quota of /g/a, 20000 of 100000 us");
    EXPECT_EQ(rank(e).at(0).evidence.back(), "used up in 5 of 9 periods");
}

TEST(Rank, unknown_device_is_the_busiest_one) {
    Evidence e = limited(900);
    e.charges[0].device = 0;
    e.charges[0].number = 1;
    EXPECT_EQ(rank(e)[0].what, "disk sda");
    e.disks.clear();
    EXPECT_EQ(rank(e)[0].what, "a disk");
}

TEST(Rank, softirq_threads_work_for_a_vector) {
    Evidence e =
        ten_seconds({{.kind = Kind::softirq, .number = 3, .victim = "a", .count = 100, .ns = second},
                     {.kind = Kind::softirq, .number = 1, .victim = "a", .count = 100, .ns = second / 2},
                     {.kind = Kind::cpu, .number = 14, .name = "ksoftirqd/0", .victim = "b", .ns = 3 * second}});
    e.vectors[3] = "NET_RX";
    const auto all = rank(e);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].what, "softirq NET_RX");
    EXPECT_DOUBLE_EQ(all[0].cost, 400);
}

// While a softirq runs in its thread, others wait for that thread: the same time must not count twice.
TEST(Rank, softirqs_in_their_thread_count_once) {
    Evidence e = ten_seconds({
        {.kind = Kind::softirq, .number = 3, .victim = "ksoftirqd/0", .count = 80, .ns = 3 * second},
        {.kind = Kind::softirq, .number = 3, .victim = "a", .count = 20, .ns = second},
        {.kind = Kind::cpu, .number = 14, .name = "ksoftirqd/0", .victim = "b", .count = 7, .ns = 3 * second},
    });
    e.vectors[3] = "NET_RX";
    const auto all = rank(e);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_DOUBLE_EQ(all[0].cost, 400);
    EXPECT_FALSE(all[0].victims.contains("ksoftirqd/0"));
    ASSERT_FALSE(all[0].evidence.empty());
    EXPECT_EQ(all[0].evidence[0], "interrupted: b 300 ms/s, a 100 ms/s; ran 10 times/s");
}

// The counters are read before and after, which is longer than the programs in the kernel count.
TEST(Rank, rates_of_counters_are_over_their_own_time) {
    Evidence e = ten_seconds({{.kind = Kind::memory, .number = 1, .victim = "a", .count = 1, .ns = second}});
    const Counters before{.at_ns = second, .numbers = {{"pgscan_direct", 100}, {"pswpin", 7}}};
    const Counters after{.at_ns = 21 * second, .numbers = {{"pgscan_direct", 1100}, {"pswpin", 7}}};
    describe(e, before, after, {});
    const auto all = rank(e);
    ASSERT_EQ(all.size(), 1u);
    const auto& lines = all[0].evidence;
    EXPECT_EQ(std::ranges::count(lines, std::string("pages scanned by those who needed memory: 50/s")), 1);
    EXPECT_TRUE(std::ranges::none_of(lines, [](const std::string& line) { return line.find("swap") != line.npos; }));
}

TEST(Rank, stuck_threads) {
    Evidence e = ten_seconds({});
    e.stuck.push_back({.pid = 5, .tid = 6, .name = "nfsd", .function = "rpc_wait_bit_killable"});
    const auto all = rank(e);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_DOUBLE_EQ(all[0].cost, 1000);
    EXPECT_EQ(all[0].what, "thread 6 has not come back from rpc_wait_bit_killable() in the kernel");
}

// Names come from anywhere: the command must stay one word of a shell.
TEST(Rank, commands_are_quoted) {
    const auto all = rank(ten_seconds({
        {.kind = Kind::cpu, .number = 1, .name = "a'; rm \"x", .victim = "v", .ns = second},
        {.kind = Kind::cpu, .number = 2, .name = "a'; rm \"x", .victim = "v", .ns = second},
    }));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].next,
              "lt -e 'profile:hz:99 /comm == \"a'\\''; rm \\\"x\"/ { @[pid, comm, ustack, kstack] = count(); }'");
}

TEST(Kinds, each_has_a_row) {
    ASSERT_EQ(kind_rows().size(), kinds);
    for (size_t i = 0; i < kinds; i++) {
        const KindRow& row = kind_rows()[i];
        EXPECT_EQ(row.kind, static_cast<Kind>(i));
        const auto all = rank(ten_seconds({{.kind = row.kind,
                                            .number = 1,
                                            .process = 2,
                                            .name = "n",
                                            .holder = "h",
                                            .victim = "v",
                                            .count = 1,
                                            .ns = 20 * second}}));
        ASSERT_EQ(all.size(), 1u) << row.name;
        EXPECT_FALSE(all[0].what.empty());
        EXPECT_FALSE(all[0].evidence.empty());
        EXPECT_TRUE(all[0].next.starts_with("lt -e '")) << all[0].next;
    }
}

// In a PID namespace the kernel's numbers of these threads would be those of others.
TEST(Rank, without_stuck_threads) {
    Evidence evidence = ten_seconds({
        {.kind = Kind::kernel_lock, .name = "x", .holder = "x", .holder_tid = 6, .victim = "a", .ns = 4 * second},
        {.kind = Kind::file_lock, .number = 7, .name = "y", .victim = "a", .ns = 3 * second},
    });
    evidence.stuck = {{5, 8, "z", "io_schedule"}};
    EXPECT_EQ(rank(evidence).size(), 3u);
    forget_stuck(evidence);
    const auto all = rank(evidence);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].holders.begin()->first, "x (thread 6)");
    EXPECT_EQ(all[1].what, "a file lock that y (thread 7) released");
}

}  // namespace
}  // namespace lt::triage
