// A map that is cleared again and again while programs collect into it: each update is in exactly one report.
#include "runtime/maps/maps.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "words.h"

namespace lt {
namespace {

// One hash of counts, and a program that counts. What has found its value before a switch adds to it before the switch
// is over; afterwards nothing adds to a value that it has not found in the new generation.
class FakeKernel final : public RawMaps {
  public:
    explicit FakeKernel(uint32_t seed) : random_(seed) {}

    void count_some() {
        if (is_over) return;
        for (uint64_t n = random_() % 30; n > 0; n--) count();
    }
    uint64_t counted() const { return counted_; }
    size_t keys() const { return values_.size(); }
    bool is_over = false;  // nothing counts any more

    size_t value_size(size_t) const override { return sizeof(uint64_t); }
    Status each(size_t, const Take& take) override {
        for (const auto& [key, value] : values_) take(key, word(value));
        count_some();
        return Done{};
    }
    Result<std::optional<Bytes>> lookup(size_t, KeyBytes key) override {
        const auto found = values_.find(Bytes(key.begin(), key.end()));
        return found == values_.end() ? std::optional<Bytes>() : std::optional(word(found->second));
    }
    int update(size_t, KeyBytes, std::span<const uint8_t>, uint64_t) override { return -EINVAL; }
    int erase(size_t, KeyBytes key) override {
        count_some();
        return values_.erase(Bytes(key.begin(), key.end())) == 1 ? 0 : -ENOENT;
    }
    std::optional<Bytes> take(size_t, KeyBytes) override { return ADD_FAILURE() << "deleted in use", std::nullopt; }
    Status clear(size_t) override { return ADD_FAILURE() << "cleared in use", Done{}; }
    Status wait_for_programs() override { return Done{}; }
    Status set_generation(uint32_t, uint64_t generation) override {
        count_some();
        generation_ = generation;
        return Done{};
    }
    std::span<uint8_t> memory(size_t) override { return {}; }

  private:
    void count() {
        Bytes key = word(random_() % 50 + counted_ / 300);  // new ones come, old ones are no longer counted
        const Bytes generation = word(generation_);
        key.insert(key.end(), generation.begin(), generation.end());
        values_[key]++;
        counted_++;
    }

    std::minstd_rand random_;
    std::map<Bytes, uint64_t> values_;
    uint64_t generation_ = 0, counted_ = 0;
};

Plan plan_of_counts() {
    PlannedMap map;
    map.name = "@n";
    map.symbol = "at_n";
    map.key = {integer_type()};
    map.key_size = 8;
    map.value = integer_type();
    map.value_size = 8;
    map.max_entries = 100;
    map.cleared_by_difference = true;
    map.generation = 0;
    Plan plan;
    plan.maps.push_back(map);
    PlannedEvent clear;
    clear.kind = EventKind::clear;
    clear.printed = true;
    plan.events.push_back(clear);
    return plan;
}

TEST(Maps, EachCountIsInOneReport) {
    for (uint32_t seed = 1; seed < 20; seed++) {
        const Plan plan = plan_of_counts();
        auto owned = std::make_unique<FakeKernel>(seed);
        FakeKernel& kernel = *owned;
        Maps maps(plan, std::move(owned));
        uint64_t reported = 0, most_keys = 0;
        for (int round = 0; round < 500; round++) {
            kernel.count_some();
            kernel.is_over = round == 499;
            const auto entries = maps.entries(0);
            ASSERT_TRUE(entries);
            for (const RawEntry& entry : *entries) reported += number(entry.value);
            ASSERT_TRUE(maps.clear(0, true));
            most_keys = std::max<uint64_t>(most_keys, kernel.keys());
        }
        EXPECT_EQ(reported, kernel.counted());
        EXPECT_LT(most_keys, 200U);
    }
}

// Of a map with generations, zero() keeps keys, but not all that there ever were.
TEST(Maps, ZeroKeepsNoMoreKeysThanThereIsRoomFor) {
    Plan plan = plan_of_counts();
    plan.maps[0].cleared_by_difference = false;
    auto owned = std::make_unique<FakeKernel>(1);
    FakeKernel& kernel = *owned;
    Maps maps(plan, std::move(owned));
    constexpr int rounds = 3000;
    uint64_t reported = 0;
    size_t most_keys = 0;
    for (int round = 1; round <= rounds; round++) {
        kernel.count_some();
        kernel.is_over = round == rounds;
        const auto entries = maps.entries(0);
        ASSERT_TRUE(entries);
        for (const RawEntry& entry : *entries) reported += number(entry.value);
        most_keys = std::max(most_keys, (*entries).size());
        ASSERT_TRUE(maps.zero(0, true));
    }
    EXPECT_EQ(reported, kernel.counted());
    EXPECT_GT(kernel.counted(), 60'000U);  // more than 250 keys came and went
    EXPECT_LT(most_keys, 200U);
}

// Of a map with generations: reports without a clear() bring new keys again and again.
TEST(Maps, ReportsKeepNoMoreKeysThanThereIsRoomFor) {
    Plan plan = plan_of_counts();
    plan.maps[0].cleared_by_difference = false;
    plan.maps[0].max_entries = 30;
    auto owned = std::make_unique<FakeKernel>(1);
    FakeKernel& kernel = *owned;
    Maps maps(plan, std::move(owned));
    uint64_t reported = 0;
    constexpr int rounds = 1000;
    for (int round = 1; round <= rounds; round++) {
        kernel.count_some();
        kernel.is_over = round == rounds;
        const auto entries = maps.entries(0);
        ASSERT_TRUE(entries);
        EXPECT_LE((*entries).size(), 60U);
        reported = 0;
        for (const RawEntry& entry : *entries) reported += number(entry.value);
    }
    EXPECT_GT(maps.not_kept(0), 0U);
    EXPECT_GE(kernel.counted(), reported + maps.not_kept(0));
    const uint64_t not_kept = maps.not_kept(0);
    kernel.is_over = false;
    kernel.count_some();
    ASSERT_TRUE(maps.clear(0, false));
    EXPECT_EQ(maps.not_kept(0), not_kept);  // what is cleared unread is not missing in a report
}

// Of a map with generations: after somebody has read it, a clear that is not about that read is about everything.
TEST(Maps, ClearIsAboutTheReportOnlyIfItSaysSo) {
    for (const bool printed : {false, true}) {
        Plan plan = plan_of_counts();
        plan.maps[0].cleared_by_difference = false;
        auto owned = std::make_unique<FakeKernel>(1);
        FakeKernel& kernel = *owned;
        Maps maps(plan, std::move(owned));
        const auto count = [&] {
            kernel.is_over = false;
            for (const uint64_t before = kernel.counted(); kernel.counted() == before;) kernel.count_some();
            kernel.is_over = true;
        };
        count();
        const auto read = maps.entries(0);
        ASSERT_TRUE(read);
        EXPECT_FALSE((*read).empty());
        count();
        ASSERT_TRUE(maps.clear(0, printed));
        const auto left = maps.entries(0);
        ASSERT_TRUE(left);
        EXPECT_EQ((*left).empty(), !printed);
    }
}

}  // namespace
}  // namespace lt
