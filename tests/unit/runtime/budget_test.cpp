#include "runtime/session/budget.h"

#include <gtest/gtest.h>

#include "runtime/attach/way.h"

namespace lt {
namespace {

constexpr double second = 1e9;

Suspect suspect(uint64_t run_ns, uint64_t dispatch_ns, bool sampled = true, uint64_t one_of = 1) {
    return {{1000, run_ns, dispatch_ns}, sampled, true, one_of};
}

using What = Remedy::What;

TEST(Budget, NothingIsDoneWithinIt) {
    EXPECT_EQ(find_remedy({}, second, 0.01).what, What::none);
    const Suspect all[] = {suspect(4'000'000, 1'000'000), suspect(5'000'000, 0)};
    EXPECT_EQ(find_remedy(all, second, 0.01).what, What::none);
    EXPECT_EQ(find_remedy(all, second, 0.0099).what, What::sample);
}

TEST(Budget, TheCostliestComesFirst) {
    const Suspect all[] = {suspect(4'000'000, 0), suspect(1'000'000, 8'000'000), suspect(5'000'000, 0)};
    EXPECT_EQ(find_remedy(all, second, 0.01).suspect, 1u);
}

TEST(Budget, SamplingIsAsStrongAsItHasToBe) {
    // 100 ms in the program and 10 ms around it; 20 ms are allowed: a 20th of the first is half of what is left.
    const Suspect one[] = {suspect(100'000'000, 10'000'000)};
    EXPECT_EQ(find_remedy(one, second, 0.02).one_of, 32u);
    // More than what was sampled already, at least by so much.
    const Suspect again[] = {suspect(11'000'000, 10'000'000, true, 32)};
    EXPECT_EQ(find_remedy(again, second, 0.02).one_of, 32 * least_sampling);
    // Where not even all of it would do.
    EXPECT_EQ(find_remedy(one, second, 0.001).one_of, most_sampling);
    const Suspect nearly[] = {suspect(11'000'000, 10'000'000, true, 512)};
    EXPECT_EQ(find_remedy(nearly, second, 0.02).one_of, most_sampling);
}

TEST(Budget, ThenItIsDetached) {
    const Suspect sampled[] = {suspect(1'000'000, 100'000'000, true, most_sampling)};
    EXPECT_EQ(find_remedy(sampled, second, 0.01).what, What::detach);
    const Suspect never[] = {suspect(100'000'000, 0, false)};
    EXPECT_EQ(find_remedy(never, second, 0.01).what, What::detach);
}

TEST(Budget, WhatCannotBeHelpedIsLeft) {
    Suspect own = suspect(100'000'000, 0, false);
    own.can_be_detached = false;
    const Suspect other = suspect(50'000'000, 0);
    const Suspect both[] = {own, other};
    EXPECT_EQ(find_remedy(both, second, 0.01).suspect, 1u);
    const Suspect alone[] = {own};
    EXPECT_EQ(find_remedy(alone, second, 0.01).what, What::too_late);
    Suspect gone = other;  // detached: it has no runs any more
    gone.cost = {};
    const Suspect rest[] = {own, gone};
    EXPECT_EQ(find_remedy(rest, second, 0.01).what, What::too_late);
}

TEST(Budget, AShareTakesOneOfSoMany) {
    EXPECT_EQ(gate_share(0), 0u);
    EXPECT_EQ(gate_share(1), 0u);
    EXPECT_EQ(gate_share(2), (uint64_t{1} << 31) + 1);  // a number of 32 bits and 1 more is below it
    EXPECT_EQ(gate_share(1024), (uint64_t{1} << 22) + 1);
    EXPECT_EQ(gate_shut, 1u);
}

TEST(Budget, ADispatchCostsMoreAtReturns) {
    EXPECT_LT(way_attach(Way::fentry).entry_ns, way_attach(Way::kprobe).entry_ns);
    EXPECT_LT(way_attach(Way::kprobe).entry_ns, way_attach(Way::kprobe).return_ns);
    EXPECT_EQ(way_attach(Way::run).entry_ns, 0u);
    for (const WayRow& row : way_rows())
        EXPECT_EQ(row.function, row.function && way_attach(row.way).return_ns > 0) << row.name;
}

}  // namespace
}  // namespace lt
