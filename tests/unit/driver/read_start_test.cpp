// A start in the past is refused with how long ago it was.
#include "driver/run/read_start.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = 1'700'000'000 * second;  // 2023-11-14T22:13:20Z

std::string refusal(const std::string& text) {
    const Result<StartTime> start = read_start(text, now);
    return start ? "" : start.error().what;
}

TEST(ReadStart, SaysHowLongAgoATimeWas) {
    EXPECT_EQ(refusal("2023-11-14T22:13:21Z"), "");
    EXPECT_EQ(refusal("2023-11-14T22:13:15Z"), "`--at 2023-11-14T22:13:15Z` is in the past, by 5s");
    EXPECT_EQ(refusal("2023-11-14T20:53:20Z"), "`--at 2023-11-14T20:53:20Z` is in the past, by 1h20m");
    EXPECT_EQ(refusal("2023-11-13T20:00:00Z"), "`--at 2023-11-13T20:00:00Z` is in the past, by 1 day");
    EXPECT_EQ(refusal("2017-11-14T00:00:00Z"), "`--at 2017-11-14T00:00:00Z` is in the past, by 6 years");
}

}  // namespace
}  // namespace lt
