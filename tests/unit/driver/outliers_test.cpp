// lt merge: which hosts are outliers, how hosts are ordered and rows are shown, and what the cause is.
#include "driver/merge/outliers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "driver/merge/add_value.h"
#include "driver/merge/host_map.h"

namespace lt {
namespace {

constexpr int64_t absent = -1;

// A map without keys, and the number that each host has in it.
struct Numbers {
    Type type;
    std::vector<MapEntry> all;
    std::vector<HostValues> each = {{}};
    std::vector<std::string> hosts;

    Numbers(Aggregation a, const std::vector<int64_t>& numbers) : type(aggregation_type(a, View::plain)) {
        int64_t sum = 0;
        for (size_t host = 0; host < numbers.size(); host++) {
            hosts.push_back("h" + std::to_string(host));
            if (numbers[host] == absent) continue;
            sum += numbers[host];
            each[0].push_back({host, {type, numbers[host]}});
        }
        all.push_back({{}, {type, sum}});
    }
    HostMap map() const { return {"@n", type, all, each, hosts}; }
};

std::vector<size_t> far_hosts(Aggregation a, const std::vector<int64_t>& numbers) {
    const Numbers of(a, numbers);
    std::vector<size_t> hosts;
    for (const Outlier& outlier : find_outliers({of.map()})) hosts.push_back(outlier.host);
    std::ranges::sort(hosts);
    return hosts;
}

using Hosts = std::vector<size_t>;

TEST(Outliers, AreThreeTimesTheMedianOfTheOthers) {
    EXPECT_EQ(far_hosts(Aggregation::sum, {10, 30, 10, 10}), (Hosts{1}));
    EXPECT_EQ(far_hosts(Aggregation::sum, {10, 29, 10, 10}), Hosts{});
    EXPECT_EQ(far_hosts(Aggregation::sum, {10, 80}), (Hosts{1}));
    EXPECT_EQ(far_hosts(Aggregation::sum, {10}), Hosts{});
    EXPECT_EQ(far_hosts(Aggregation::sum, {10, 10, 90, 10, 90, 11, 9, 10}), (Hosts{2, 4}));
}

TEST(Outliers, AreFurtherAwayThanTheOthersAreFromEachOther) {
    EXPECT_EQ(far_hosts(Aggregation::sum, {10, 20, 30, 40, 50, 90}), (Hosts{5}));
    EXPECT_EQ(far_hosts(Aggregation::sum, {5, 20, 40, 60, 75, 120}), Hosts{});
}

TEST(Outliers, HostsWithoutTheKeyHaveCountedNothing) {
    EXPECT_EQ(far_hosts(Aggregation::sum, {10, 10, 90, absent}), (Hosts{2}));
    EXPECT_EQ(far_hosts(Aggregation::sum, {100, 500, absent, absent, absent}), Hosts{});
    EXPECT_EQ(far_hosts(Aggregation::count, {1, 1, 9}), Hosts{});  // too few to say
    EXPECT_EQ(far_hosts(Aggregation::count, {1, 1, 10}), (Hosts{2}));
}

TEST(Outliers, NegativeSumsAndTheGreatestOnesAreCompared) {
    EXPECT_EQ(far_hosts(Aggregation::sum, {INT64_MIN, 10, 10, INT64_MAX}), (Hosts{3}));
    EXPECT_EQ(far_hosts(Aggregation::sum, {-10, -10, -90}), Hosts{});
    EXPECT_EQ(far_hosts(Aggregation::sum, {0, 0, 90}), Hosts{});
}

// By the definition, for all hosts.
TEST(Outliers, AreThoseOfTheDefinition) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000; round++) {
        std::vector<int64_t> numbers;
        for (size_t i = 0; i < 2 + random() % 9; i++) numbers.push_back(static_cast<int64_t>(random() % 60));
        Hosts expected;
        for (size_t host = 0; host < numbers.size(); host++) {
            std::vector<int64_t> others = numbers;
            others.erase(others.begin() + static_cast<ptrdiff_t>(host));
            const int64_t median = median_of(others);
            for (int64_t& each : others) each = std::abs(each - median);
            if (median > 0 && numbers[host] >= outlier_times * median &&
                numbers[host] - median > outlier_spread * median_of(others))
                expected.push_back(host);
        }
        ASSERT_EQ(far_hosts(Aggregation::sum, numbers), expected) << round;
    }
}

TEST(HostOrder, CountsTheNumbersInNames) {
    std::vector<std::string> names{"web10", "web9", "db", "web", "web1a", "web1", "web01", "web010"};
    std::ranges::sort(names, host_before);
    EXPECT_EQ(names, (std::vector<std::string>{"db", "web", "web01", "web1", "web1a", "web9", "web010", "web10"}));
}

}  // namespace
}  // namespace lt
