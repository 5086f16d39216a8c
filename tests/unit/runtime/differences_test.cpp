// Maps that are cleared by what was there before: nothing counts twice, and nothing is lost while keys are taken out.
#include "runtime/maps/differences.h"

#include <gtest/gtest.h>

#include "words.h"

namespace lt {
namespace {

PlannedMap keyed() {
    PlannedMap map;
    map.key = {integer_type()};
    map.value_size = 8;
    return map;
}

TEST(Differences, CountOnlyWhatCameSinceTheClear) {
    Differences d;
    EXPECT_EQ(d.since(keyed(), {{word(1), word(5)}}).size(), 1U);
    d.clear({});
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(5)}}).empty());
    const auto later = d.since(keyed(), {{word(1), word(7)}, {word(2), word(1)}});
    ASSERT_EQ(later.size(), 2U);
    EXPECT_EQ(number(later[0].value), 2U);
    EXPECT_EQ(number(later[1].value), 1U);
}

TEST(Differences, WhatComesAfterThePrintIsNotCleared) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}});
    d.clear({});  // by now the kernel has 6
    const auto later = d.since(keyed(), {{word(1), word(6)}});
    ASSERT_EQ(later.size(), 1U);
    EXPECT_EQ(number(later[0].value), 1U);
}

TEST(Differences, ZeroKeepsTheKeysAndCountsWhatComesAfterThePrint) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}, {word(2), word(1)}});
    d.zero({});  // by now the kernel has 6
    const auto later = d.since(keyed(), {{word(1), word(6)}, {word(2), word(1)}});
    ASSERT_EQ(later.size(), 2U);
    EXPECT_EQ(number(later[0].value), 1U);
    EXPECT_EQ(number(later[1].value), 0U);
    d.clear({});
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(6)}, {word(2), word(1)}}).empty());
    d.zero({});  // what clear() has hidden does not come back
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(6)}, {word(2), word(1)}}).empty());
}

TEST(Differences, AnUpdateWhileAKeyIsTakenOutIsCounted) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}});
    EXPECT_TRUE(d.clear({}).empty());
    d.since(keyed(), {{word(1), word(5)}});
    EXPECT_EQ(d.clear({}).size(), 1U);
    d.taken_out(keyed(), {{word(1), word(8)}});  // three more have come
    const auto gone = d.since(keyed(), {});
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(number(gone[0].value), 3U);
    EXPECT_EQ(number(*d.rest(keyed(), word(1), {})), 3U);
    const auto back = d.since(keyed(), {{word(1), word(2)}});
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(number(back[0].value), 5U);
    EXPECT_EQ(number(*d.rest(keyed(), word(1), word(2))), 5U);
    d.clear({});
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(2)}}).empty());
}

TEST(Differences, AKeyThatIsTakenOutWithoutUpdatesIsForgotten) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}, {word(2), word(6)}});
    d.clear({});
    d.taken_out(keyed(), {{word(1), word(5)}, {word(2), word(6)}, {word(3), word(1)}});
    const auto rest = d.since(keyed(), {{word(1), word(4)}});
    ASSERT_EQ(rest.size(), 2U);  // the new one came between the clear and the removal
    EXPECT_EQ(number(rest[0].value), 4U);
    EXPECT_EQ(number(rest[1].value), 1U);
    EXPECT_EQ(rest[1].key, word(3));
}

}  // namespace
}  // namespace lt
