// Maps that are cleared by what was there before: nothing counts twice, and nothing is lost while keys are taken out.
#include "runtime/maps/differences.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lt {
namespace {

Bytes word(uint64_t number) {
    Bytes bytes(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

uint64_t number(const Bytes& bytes) {
    uint64_t out = 0;
    std::memcpy(&out, bytes.data(), sizeof out);
    return out;
}

PlannedMap keyed() {
    PlannedMap map;
    map.key = {integer_type()};
    map.value_size = 8;
    return map;
}

// No key is taken out.
const Differences::Removal keep{[] { return Done{}; }, [](const Bytes&) { return std::optional<Bytes>(); }, {}};

Differences::Removal taken_out(uint64_t now, uint64_t at_removal) {
    return {[] { return Done{}; }, [=](const Bytes&) { return word(now); },
            [=](const Bytes&) { return word(at_removal); }};
}

TEST(Differences, CountOnlyWhatCameSinceTheClear) {
    Differences d;
    EXPECT_EQ(d.since(keyed(), {{word(1), word(5)}}).size(), 1U);
    EXPECT_TRUE(d.clear({}, keep));
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(5)}}).empty());
    const auto later = d.since(keyed(), {{word(1), word(7)}, {word(2), word(1)}});
    ASSERT_EQ(later.size(), 2U);
    EXPECT_EQ(number(later[0].value), 2U);
    EXPECT_EQ(number(later[1].value), 1U);
}

TEST(Differences, WhatComesAfterThePrintIsNotCleared) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}});
    EXPECT_TRUE(d.clear({}, keep));  // by now the kernel has 6
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
    EXPECT_TRUE(d.clear({}, keep));
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(6)}, {word(2), word(1)}}).empty());
    d.zero({});  // what clear() has hidden does not come back
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(6)}, {word(2), word(1)}}).empty());
}

TEST(Differences, AnUpdateWhileAKeyIsTakenOutIsCounted) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}});
    EXPECT_TRUE(d.clear({}, keep));
    d.since(keyed(), {{word(1), word(5)}});
    EXPECT_TRUE(d.clear({}, taken_out(5, 8)));  // three more have come
    const auto gone = d.since(keyed(), {});
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(number(gone[0].value), 3U);
    const auto back = d.since(keyed(), {{word(1), word(2)}});
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(number(back[0].value), 5U);
    EXPECT_TRUE(d.clear({}, keep));
    EXPECT_TRUE(d.since(keyed(), {{word(1), word(2)}}).empty());
}

// A program was suspended between the lookup of the key and its addition.
TEST(Differences, AKeyThatAProgramStillAddsToStays) {
    Differences d;
    d.since(keyed(), {{word(1), word(5)}});
    EXPECT_TRUE(d.clear({}, keep));
    d.since(keyed(), {{word(1), word(5)}});
    uint64_t value = 5;
    const auto now = [&](const Bytes&) { return word(value); };
    const auto take = [](const Bytes&) { return ADD_FAILURE() << "taken out", std::optional<Bytes>(); };
    EXPECT_TRUE(d.clear({}, {[&]() -> Status { return value = 6, Done{}; }, now, take}));
    const auto later = d.since(keyed(), {{word(1), word(6)}});
    ASSERT_EQ(later.size(), 1U);
    EXPECT_EQ(number(later[0].value), 1U);
}

}  // namespace
}  // namespace lt
