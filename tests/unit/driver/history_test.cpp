// The history of a map: whichever period it answers with, it has exactly what came in it; the period is near the wanted
// one; and a day of a hundred distributions fits into memory.
#include "driver/report/history.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/border/layouts/dist_buckets.h"
#include "runtime/border/plan.h"
#include "runtime/values/distribution.h"
#include "runtime/values/hist.h"
#include "stdlib/bpf/dist.h"

namespace lt {
namespace {

using Clock = History::Clock;
using std::chrono::seconds;

void record(Distribution& d, int64_t value) {
    d.count++;
    d.sum += value;
    d.least = std::min(d.least, value);
    d.greatest = std::max(d.greatest, value);
    d.buckets[static_cast<uint32_t>(lt_dist_bucket(value))]++;
}

Type of(Aggregation aggregation) {
    Type type = integer_type();
    type.aggregation = aggregation;
    return type;
}

MapEntry entry(int64_t key, Data data, const Type& type) {
    return {{Value{integer_type(), key}}, Value{type, std::move(data)}};
}

MapContent content(const std::vector<Distribution>& all) {
    const Type type = of(Aggregation::dist);
    MapContent out;
    out.name = "@ns";
    out.value = type;
    std::vector<MapEntry> entries;
    for (size_t i = 0; i < all.size(); i++)
        if (all[i].count != 0) entries.push_back(entry(static_cast<int64_t>(i), all[i], type));
    out.entries = Entries(std::move(entries));
    return out;
}

// What came, by time and key.
struct Came {
    Clock::time_point at;
    size_t key;
    int64_t value;
};

TEST(History, HasExactlyWhatCameInThePeriodThatItNames) {
    std::mt19937_64 random(1);
    const Clock::time_point start{};
    History history(start, History::most_bytes);
    std::vector<Distribution> now(3);
    std::vector<Came> log;
    Clock::time_point at = start;
    for (int step = 0; step < 2000; step++) {
        at += seconds(1 + random() % 9);
        for (uint64_t n = random() % 20; n != 0; n--) {
            log.push_back({at, random() % 3, static_cast<int64_t>(random() >> (20 + random() % 40))});
            record(now[log.back().key], log.back().value);
        }
        history.look(content(now), at);
        if (step % 100 != 99) continue;
        for (const int wanted : {5, 60, 300, 1000, 3600, 1000000}) {
            const History::Period period = history.last(seconds(wanted));
            const auto begin =
                at - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(period.seconds));
            std::vector<Distribution> expected(3);
            for (const Came& each : log)
                if (each.at > begin) record(expected[each.key], each.value);
            size_t found = 0;
            for (const MapEntry& each : period.content.entries.all()) {
                const auto& key = std::get<int64_t>(each.key[0].data);
                const auto& got = std::get<Distribution>(each.value.data);
                const Distribution& right = expected[static_cast<size_t>(key)];
                EXPECT_EQ(got.buckets, right.buckets) << wanted;
                EXPECT_EQ(got.count, right.count);
                EXPECT_EQ(got.sum, right.sum);
                EXPECT_EQ(lt_dist_bucket(got.least), lt_dist_bucket(right.least));
                EXPECT_EQ(lt_dist_bucket(got.greatest), lt_dist_bucket(right.greatest));
                found++;
            }
            EXPECT_EQ(found, static_cast<size_t>(std::ranges::count_if(expected, [](auto& d) { return d.count; })));
            const double all = std::chrono::duration<double>(at - start).count();
            EXPECT_EQ(period.is_all, wanted > all) << wanted;
            if (!period.is_all) {
                EXPECT_NEAR(period.seconds, wanted, 10 + wanted / 12.0);
            }
        }
    }
}

TEST(History, OfHistogramsAddsUp) {
    History history({}, History::most_bytes);
    const Type type = of(Aggregation::hist);
    MapContent map;
    map.name = "@h", map.value = type;
    Histogram h{std::vector<uint64_t>(hist_buckets)};
    for (int i = 1; i <= 100; i++) {
        h.buckets[static_cast<size_t>(i % 7)] += 3;
        map.entries = {entry(1, h, type)};
        history.look(map, Clock::time_point(seconds(10 * i)));
    }
    const History::Period recent = history.last(seconds(20)), all = history.last(seconds(5000));
    EXPECT_EQ(total(std::get<Histogram>(recent.content.entries[0].value.data)), 6);
    EXPECT_EQ(std::get<Histogram>(all.content.entries[0].value.data), h);
    EXPECT_TRUE(all.is_all);
}

TEST(History, KeepsKeysApartThatReadTheSame) {
    History history({}, History::most_bytes);
    const Type type = of(Aggregation::hist);
    const auto late = [&](int64_t key, int count) {
        Histogram h{std::vector<uint64_t>(hist_buckets)};
        h.buckets[7] = static_cast<uint64_t>(count);
        return MapEntry{{Value{duration_type(), key}}, Value{type, std::move(h)}};
    };
    MapContent map;
    map.name = "@h", map.value = type;
    for (int i = 1; i <= 3; i++) {
        map.entries = {late(123'100'000, i), late(123'400'000, 10 * i)};
        history.look(map, Clock::time_point(seconds(10 * i)));
    }
    const History::Period all = history.last(seconds(5000));
    ASSERT_EQ(all.content.entries.size(), 2u);
    EXPECT_EQ(total(std::get<Histogram>(all.content.entries[0].value.data)), 3);
    EXPECT_EQ(total(std::get<Histogram>(all.content.entries[1].value.data)), 30);
}

TEST(History, SaysWhatWasLeftOutInThePeriod) {
    History history({}, History::most_bytes);
    std::vector<Distribution> now(1);
    for (int i = 1; i <= 100; i++) {
        record(now[0], i);
        MapContent map = content(now);
        map.sampled = Sampled{static_cast<uint64_t>(i <= 98 ? 10 * i : 980), false};
        history.look(map, Clock::time_point(seconds(10 * i)));
    }
    EXPECT_FALSE(history.last(seconds(20)).content.sampled);
    EXPECT_EQ(history.last(seconds(30)).content.sampled->left_out, 10u);
    EXPECT_EQ(history.last(seconds(5000)).content.sampled->left_out, 980u);
}

TEST(History, SurvivesAClear) {
    History history({}, History::most_bytes);
    std::vector<Distribution> now(1);
    record(now[0], 5);
    history.look(content(now), Clock::time_point(seconds(5)));
    history.cleared();
    now[0] = {};
    record(now[0], 9);
    record(now[0], 10);
    history.look(content(now), Clock::time_point(seconds(10)));
    const auto all = std::get<Distribution>(history.last(seconds(60)).content.entries[0].value.data);
    EXPECT_EQ(all.count, 3);
    EXPECT_EQ(all.least, 5);
    EXPECT_EQ(all.greatest, 10);
}

// Ten values per second while it is not paused: from second 100 to 340 it is.
TEST(History, KnowsHowLongAPeriodWasPaused) {
    History history({}, History::most_bytes);
    std::vector<Distribution> now(1);
    Clock::duration paused{};
    for (int second = 5; second <= 400; second += 5) {
        const bool is_paused = second > 100 && second <= 340;
        if (is_paused) paused += seconds(5);
        for (int i = 0; !is_paused && i < 50; i++) record(now[0], i);
        history.look(content(now), Clock::time_point(seconds(second)), paused);
    }
    for (const int wanted : {20, 60, 300, 5000}) {
        const History::Period period = history.last(seconds(wanted));
        const auto& all = std::get<Distribution>(period.content.entries[0].value.data);
        EXPECT_DOUBLE_EQ(static_cast<double>(all.count) / period.traced_seconds, 10) << wanted;
    }
    const History::Period all = history.last(seconds(5000));
    EXPECT_DOUBLE_EQ(all.seconds, 400);
    EXPECT_DOUBLE_EQ(all.traced_seconds, 160);
}

// Looks are rarer than in a run: what they leave after ten minutes is the same.
TEST(History, KeepsADayOfAHundredDistributionsInLittleMemory) {
    std::mt19937_64 random(2);
    std::lognormal_distribution<double> latency(12, 1.5);
    History history({}, History::most_bytes);
    std::vector<Distribution> now(100);
    for (int minute = 1; minute <= 24 * 60; minute++) {
        for (Distribution& each : now)
            for (int i = 0; i < 50; i++) record(each, static_cast<int64_t>(latency(random)));
        history.look(content(now), Clock::time_point(std::chrono::minutes(minute)));
    }
    EXPECT_LT(history.segments(), 200);
    EXPECT_LT(history.bytes(), 50 << 20);
    EXPECT_GT(history.last(std::chrono::hours(23)).seconds, 21 * 3600);
    EXPECT_EQ(std::get<Distribution>(history.last(std::chrono::hours(30)).content.entries[0].value.data), now[0]);
    RecordProperty("bytes", static_cast<int>(history.bytes()));
}

TEST(History, ForgetsTheOldestWhenThereIsNoRoom) {
    std::mt19937_64 random(3);
    History history({}, 20000);
    std::vector<Distribution> now(20);
    for (int i = 1; i <= 1000; i++) {
        for (Distribution& each : now) record(each, static_cast<int64_t>(random() >> 30));
        history.look(content(now), Clock::time_point(seconds(10 * i)));
    }
    EXPECT_LT(history.segments(), 10);
    EXPECT_LE(history.bytes(), 20000);
    EXPECT_TRUE(history.last(seconds(9000)).is_all);
}

TEST(History, SaysHowLongAPeriodIs) {
    EXPECT_EQ(show_length(4.6), "5s");
    EXPECT_EQ(show_length(60), "1m");
    EXPECT_EQ(show_length(298), "4m58s");
    EXPECT_EQ(show_length(3600), "1h");
    EXPECT_EQ(show_length(7830), "2h10m");
}

}  // namespace
}  // namespace lt
