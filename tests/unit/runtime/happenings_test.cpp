// Which opening each close of a recorded call belongs to: the depths are equal.
#include "runtime/replay/happenings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lt {
namespace {

class Calls {
  public:
    void open(uint64_t time, uint64_t span) { records_.push_back({time, span, 0, thread, 0, RecordKind::open}); }
    void close(uint64_t time, uint64_t span, uint64_t latency) {
        records_.push_back({time, span, latency, thread, 0, RecordKind::close});
    }
    void exit(uint64_t time) { records_.push_back({time, 0, 0, thread, 0, RecordKind::exit}); }
    std::vector<uint64_t> depths() const {
        std::vector<Happening> all;
        for (const Record& record : records_) all.push_back({record.time, &record, nullptr});
        place_calls(all);
        std::vector<uint64_t> out;
        for (const Happening& each : all) out.push_back(each.depth);
        return out;
    }

  private:
    static constexpr uint32_t thread = 7;
    std::vector<Record> records_;
};

using Depths = std::vector<uint64_t>;

TEST(PlaceCalls, CallsAreInsideEachOther) {
    Calls calls;
    calls.open(10, 0);
    calls.open(12, 0);
    calls.close(14, 0, 2);
    calls.open(15, 0);
    calls.close(16, 0, 1);
    calls.close(20, 0, 10);
    EXPECT_EQ(calls.depths(), (Depths{1, 2, 2, 2, 2, 1}));
}

// They open and close in the same order.
TEST(PlaceCalls, OneCallCanBeInTwoSpans) {
    Calls calls;
    calls.open(10, 0);
    calls.open(11, 1);
    calls.close(20, 0, 10);
    calls.close(21, 1, 10);
    EXPECT_EQ(calls.depths(), (Depths{1, 1, 1, 1}));
}

TEST(PlaceCalls, ACloseWithoutItsOpeningHasNoOther) {
    Calls calls;
    calls.open(10, 0);
    calls.close(15, 0, 9);
    calls.close(20, 0, 10);
    calls.close(21, 0, 30);  // longer than the clock has run
    EXPECT_EQ(calls.depths(), (Depths{1, 0, 1, 0}));
}

TEST(PlaceCalls, ACallThatIsLeftEndsWithTheOneAroundIt) {
    Calls calls;
    calls.open(10, 0);
    calls.open(12, 0);
    calls.close(20, 0, 10);
    calls.open(30, 0);
    calls.close(31, 0, 1);
    EXPECT_EQ(calls.depths(), (Depths{1, 2, 1, 1, 1}));
}

TEST(PlaceCalls, ManyThatAreLeftDoNotFillTheStack) {
    Calls calls;
    for (uint64_t time = 0; time < 1000; time += 10) calls.open(time, 0);
    calls.open(1000, 0);
    calls.close(1005, 0, 5);
    const Depths depths = calls.depths();
    EXPECT_EQ(depths[0], 1U);
    EXPECT_EQ(depths[1], 1U);
    EXPECT_EQ(std::ranges::max(depths), 17U);
    EXPECT_EQ(depths[depths.size() - 2], 17U);
    EXPECT_EQ(depths.back(), 17U);
}

TEST(PlaceCalls, AThreadsEndEndsItsCalls) {
    Calls calls;
    calls.open(10, 0);
    calls.exit(11);
    calls.open(12, 0);
    EXPECT_EQ(calls.depths(), (Depths{1, 0, 1}));
}

}  // namespace
}  // namespace lt
