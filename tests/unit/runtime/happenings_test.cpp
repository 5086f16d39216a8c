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
    void close(uint64_t time, uint64_t span, uint64_t latency, uint32_t in = thread) {
        records_.push_back({time, span | uint64_t{thread} << close_opener_at, latency, in, 0, RecordKind::close});
    }
    void exit(uint64_t time) { records_.push_back({time, 0, 0, thread, 0, RecordKind::exit}); }
    std::vector<uint64_t> depths() const {
        std::vector<uint64_t> out;
        for (const Happening& each : placed()) out.push_back(each.depth);
        return out;
    }
    // Numbered from 1 on, in their order; 0: the thread.
    std::vector<uint64_t> owners() const {
        std::vector<uint32_t> known;
        std::vector<uint64_t> out;
        for (const Happening& each : placed()) {
            const auto found = std::ranges::find(known, each.owner);
            out.push_back(each.owner == 0 ? 0 : static_cast<uint64_t>(found - known.begin()) + 1);
            if (each.owner != 0 && found == known.end()) known.push_back(each.owner);
        }
        return out;
    }

    static constexpr uint32_t thread = 7;

  private:
    std::vector<Happening> placed() const {
        std::vector<Happening> all;
        for (const Record& record : records_) all.push_back({record.time, &record, nullptr});
        place_calls(all);
        return all;
    }
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

// A goroutine began the first call and ended it in another thread, and a second one began and ended one meanwhile.
TEST(PlaceCalls, ACallCanEndInAnotherThread) {
    Calls calls;
    calls.open(10, 0);
    calls.open(12, 0);
    calls.close(14, 0, 4, Calls::thread + 1);
    calls.close(16, 0, 4);
    EXPECT_EQ(calls.depths(), (Depths{1, 1, 1, 1}));
    EXPECT_EQ(calls.owners(), (Depths{1, 0, 1, 0}));
}

// Goroutines take turns on it. A place for openings is used again once its call has ended.
TEST(PlaceCalls, CallsOfOneThreadNeedNotNest) {
    Calls calls;
    calls.open(10, 0);
    calls.open(12, 0);
    calls.open(13, 0);
    calls.close(14, 0, 4);
    calls.close(15, 0, 3);
    calls.close(16, 0, 3);
    EXPECT_EQ(calls.depths(), (Depths{1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(calls.owners(), (Depths{0, 1, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace lt
