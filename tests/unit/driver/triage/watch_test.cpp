#include "driver/triage/watch.h"

#include <gtest/gtest.h>

namespace lt::triage {
namespace {

using Sentences = std::vector<std::string>;

TEST(Uncounted, NothingWasLost) {
    EXPECT_EQ(uncounted({}, 0, 0), Sentences{});
    EXPECT_EQ(uncounted({{LossKind::stack_collision, 0, 3}}, 0, 0), Sentences{});  // no wait less
}

// Of several programs, and only those since triage began to count.
TEST(Uncounted, HiddenSwitches) {
    const std::vector<Loss> losses{{LossKind::hidden_switch, 0, 5}, {LossKind::hidden_switch, 1, 2}};
    EXPECT_EQ(uncounted(losses, 3, 0),
              Sentences{"context switches that the kernel did not report: 4; the waits around them are not counted"});
    EXPECT_EQ(uncounted(losses, 7, 0), Sentences{});
}

TEST(Uncounted, WaitsAndEvents) {
    EXPECT_EQ(uncounted({{LossKind::map_full, 2, 1}, {LossKind::span_clock, 0, 1}}, 0, 1),
              (Sentences{"2 waits could not be counted", "the kernel skipped 1 event"}));
}

}  // namespace
}  // namespace lt::triage
