// What lt says about what a run has missed.
#include "driver/report/report.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

TEST(Report, MissedByWhichProbe) {
    Plan plan;
    plan.probes.resize(2);
    plan.probes[0].text = "kprobe:vfs_read";
    plan.probes[1].text = "exits of threads";
    plan.probes[1].internal = true;
    EXPECT_EQ(missed_fact(plan, {0, MissKind::recursion, 1}).text,
              "kprobe:vfs_read: 1 event missed because a program was already running on the same CPU");
    const MissedFact own = missed_fact(plan, {1, MissKind::recursion, 2});
    EXPECT_EQ(own.probe, "lt's own probe (exits of threads)");
    EXPECT_EQ(
        own.text,
        "lt's own probe (exits of threads): 2 events missed because a program was already running on the same CPU");
    plan.probes[0].text = "interval:1s";
    const MissedFact late = missed_fact(plan, {0, MissKind::late, 2});
    EXPECT_EQ(late.kind, "late");
    EXPECT_EQ(late.text, "interval:1s: 2 events missed because lt was busy until the next one was due");
}

}  // namespace
}  // namespace lt
