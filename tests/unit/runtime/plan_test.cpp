// The dump of a plan, and the names of types in it.
#include "runtime/border/plan.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

Plan example() {
    Plan plan;
    plan.object = {1, 2, 3};
    plan.probes.push_back({"BEGIN", false, {0, 5}, When::begin, 0, {{Way::run, "", {{"lt_begin"}}}}});
    plan.probes.push_back({"i:1s", false, {6, 10}, When::period, 1'000'000'000, {{Way::run, "", {{"lt_1"}}}}});
    plan.probes.push_back(
        {"k:vfs_read",
         false,
         {11, 21},
         When::attached,
         0,
         {{Way::fentry, "no BTF", {}},
          {Way::kprobe,
           "",
           {{"lt_2_entry", false, 0, KernelSite{"vfs_read"}}, {"lt_2", true, 0, KernelSite{"vfs_read"}}}},
          {Way::breakpoint, "", {}}}});
    plan.probes.push_back(
        {"t:sched:*",
         false,
         {30, 39},
         When::attached,
         0,
         {{Way::tracepoint, "", {{"lt_3", false, 0, TracepointSite{"sched", "sched_switch", 310}}}}}});
    plan.probes.push_back({"u:a:b",
                           false,
                           {40, 45},
                           When::attached,
                           0,
                           {{Way::uprobe, "", {{"lt_4", false, 0, ProgramSite{"/bin/a", "b", 0x1139}}}}}});
    plan.maps.push_back({"@ns",
                         "lt_map_0",
                         MapShape::per_cpu_array,
                         {},
                         4,
                         aggregation_type(Aggregation::hist, View::duration),
                         528,
                         1});
    plan.maps.push_back({"@c",
                         "lt_map_1",
                         MapShape::per_cpu_hash,
                         {string_type(16), integer_type(4, false)},
                         24,
                         aggregation_type(Aggregation::count),
                         8,
                         4096});
    plan.events.push_back({EventKind::text, "a\n%d", 0, 0, 1, {{integer_type(), 8}, {string_type(16), 16}}, 32});
    plan.events.push_back({EventKind::clear, "", 1, 0, 1, {}, 8});
    plan.events.push_back({EventKind::exit, "", 0, 0, 1, {}, 8});
    plan.spans.push_back({"k:vfs_read", "req", "lt_span_0", SpanState::thread, {}, 4, 16});
    plan.spans.push_back({"t:a:b -> t:a:c", "", "lt_span_1", SpanState::key, {integer_type()}, 1, 16});
    plan.losses = {{LossKind::ring_buffer_full, 0},
                   {LossKind::map_full, 1},
                   {LossKind::span_no_entry, 0},
                   {LossKind::span_clock, 9}};
    return plan;
}

TEST(Plan, Dump) {
    EXPECT_EQ(dump(example()), R"(integers: with units
probe "BEGIN" at 0..5: at begin
    run taken
        lt_begin: run
probe "i:1s" at 6..10: every 1s
    run taken
        lt_1: run
probe "k:vfs_read" at 11..21: attached
    fentry refused: no BTF
    kprobe taken
        lt_2_entry: at the entry of vfs_read
        lt_2: at the return of vfs_read
    breakpoint in reserve
probe "t:sched:*" at 30..39: attached
    tracepoint taken
        lt_3: at sched:sched_switch, id 310
probe "u:a:b" at 40..45: attached
    uprobe taken
        lt_4: at the entry of b, /bin/a + 0x1139
map @ns: hist<duration>
    lt_map_0: per-CPU array, key 4 bytes, value 528 bytes, max_entries 1
map @c[string[16], u32]: count
    lt_map_1: per-CPU hash, key 24 bytes, value 8 bytes, max_entries 4096
event 0: text "a\n%d", 32 bytes
    i64 at 8
    string[16] at 16
event 1: clear @c, 8 bytes
event 2: exit, 8 bytes
span req = "k:vfs_read"
    lt_span_0 in a hash: 4 openings of 16 bytes per thread
span "t:a:b -> t:a:c"
    lt_span_1[i64]: an opening of 16 bytes
loss 0: ring buffer full
loss 1: map full: map @c
loss 2: return without entry: span k:vfs_read
loss 3: negative difference: span none 9
)");
}

TEST(Plan, NamesOfTypes) {
    EXPECT_EQ(type_text(duration_type()), "duration");
    EXPECT_EQ(type_text(integer_type(2, false)), "u16");
    EXPECT_EQ(type_text(integer_type(8, false, View::hex)), "u64<hex>");
    EXPECT_EQ(type_text(aggregation_type(Aggregation::avg)), "avg");
    Type user = integer_type(8, false);
    user.user_memory = true;
    EXPECT_EQ(type_text(user), "u64 user");
    EXPECT_EQ(type_name(duration_type()), "a duration");
    EXPECT_EQ(type_name(string_type(4)), "a string");
    EXPECT_EQ(type_name(aggregation_type(Aggregation::hist)), "hist()");
}

}  // namespace
}  // namespace lt
