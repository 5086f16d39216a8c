// Distributions: the kernel's rule for the bucket (its own source, compiled here) and the runtime's bounds describe the
// same buckets; percentiles keep the bound that runtime/border/dist_buckets.h states; merging loses nothing.
#include "runtime/values/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "runtime/print/figures.h"
#include "runtime/print/printer.h"
#include "runtime/values/hist.h"
#include "stdlib/bpf/buckets.h"

namespace lt {
namespace {

constexpr int64_t least_integer = std::numeric_limits<int64_t>::min();
constexpr int64_t most_integer = std::numeric_limits<int64_t>::max();

uint32_t bucket_of(int64_t value) { return static_cast<uint32_t>(lt_dist_bucket(value)); }

void record(Distribution& d, int64_t value) {
    d.count++;
    d.sum = static_cast<int64_t>(static_cast<uint64_t>(d.sum) + static_cast<uint64_t>(value));
    d.least = std::min(d.least, value);
    d.greatest = std::max(d.greatest, value);
    d.buckets[bucket_of(value)]++;
}

Distribution recorded(const std::vector<int64_t>& values) {
    Distribution d;
    for (int64_t value : values) record(d, value);
    return d;
}

void expect_in_its_bucket(int64_t value) {
    const uint32_t index = bucket_of(value);
    ASSERT_LT(index, dist_buckets) << value;
    const DistBucket b = dist_bucket(index);
    EXPECT_GE(value, b.low) << index;
    EXPECT_LE(value, b.high()) << index;
}

TEST(DistBuckets, AreAsManyOnBothSides) {
    EXPECT_EQ(dist_buckets, uint32_t{LT_DIST_BUCKETS});
    EXPECT_EQ(dist_zero, uint32_t{LT_DIST_ZERO});
    EXPECT_EQ(bucket_of(most_integer), dist_buckets - 1);
    EXPECT_EQ(bucket_of(least_integer), 0U);
}

TEST(DistBuckets, FollowEachOtherWithoutAGap) {
    EXPECT_EQ(dist_bucket(dist_zero).low, 0);
    for (uint32_t i = 0; i < dist_buckets; i++) {
        const DistBucket b = dist_bucket(i);
        EXPECT_EQ(bucket_of(b.low), i);
        EXPECT_EQ(bucket_of(b.high()), i);
        if (i + 1 < dist_buckets) {
            EXPECT_EQ(dist_bucket(i + 1).low, b.high() + 1) << i;
        }
    }
}

TEST(DistBuckets, HoldTheValuesAroundEachPowerOfTwo) {
    for (uint32_t k = 0; k < 63; k++) {
        const int64_t power = int64_t{1} << k;
        for (int64_t value : {power - 1, power, power + 1, power + power / 2, power + power / 16}) {
            expect_in_its_bucket(value);
            expect_in_its_bucket(-value);
        }
    }
    expect_in_its_bucket(least_integer);
    expect_in_its_bucket(0);
    expect_in_its_bucket(most_integer);
}

TEST(DistBuckets, AreMonotone) {
    std::mt19937_64 random(1);
    std::vector<int64_t> values;
    for (int i = 0; i < 100'000; i++) values.push_back(static_cast<int64_t>(random()) >> random() % 63);
    std::sort(values.begin(), values.end());
    for (size_t i = 1; i < values.size(); i++) ASSERT_LE(bucket_of(values[i - 1]), bucket_of(values[i])) << values[i];
}

TEST(DistBuckets, SmallValuesAreExact) {
    for (int32_t v = -31; v < 32; v++) {
        EXPECT_EQ(bucket_of(v), static_cast<uint32_t>(int32_t{dist_zero} + v));
        EXPECT_EQ(dist_bucket(bucket_of(v)).middle(), v);
    }
    EXPECT_EQ(dist_bucket(bucket_of(32)).width, 2U);
}

TEST(DistBuckets, MiddlesAreWithinTheBoundOfBothEnds) {
    for (uint32_t i = dist_zero; i < dist_buckets; i++) {
        const DistBucket b = dist_bucket(i);
        EXPECT_LE(b.middle() - b.low, b.low / 32) << i;
        EXPECT_LE(b.high() - b.middle(), b.low / 32) << i;
        EXPECT_EQ(dist_bucket(dist_zero - (i - dist_zero)).middle(), -b.middle()) << i;
    }
}

// ---- ten million values in five shapes, against the exact quantiles

constexpr size_t values_per_shape = 2'000'000;
using Generator = std::function<double()>;

std::vector<int64_t> drawn(const Generator& next) {
    std::vector<int64_t> values(values_per_shape);
    for (int64_t& value : values) value = std::max<int64_t>(0, std::llround(next()));
    return values;
}

// The value of rank ceil(share * n), with the integers of rational arithmetic.
size_t rank_of(size_t n, uint64_t share) { return (n * share + whole_share - 1) / whole_share; }

void expect_quantiles_within_bound(std::vector<int64_t> values) {
    const Distribution d = recorded(values);
    auto from = values.begin();
    for (uint64_t share : {50'000'000U, 90'000'000U, 99'000'000U, 99'900'000U}) {
        const auto at = values.begin() + static_cast<ptrdiff_t>(rank_of(values.size(), share) - 1);
        std::nth_element(from, at, values.end());
        from = at;
        const auto exact = static_cast<double>(*at);
        EXPECT_LE(std::abs(static_cast<double>(*percentile(d, share)) - exact), exact / 32)
            << "share " << share << " of " << *at;
    }
}

void expect_exact_figures(const std::vector<int64_t>& values) {
    const Distribution d = recorded(values);
    EXPECT_EQ(d.count, values.size());
    EXPECT_EQ(d.sum, std::accumulate(values.begin(), values.end(), int64_t{0}));
    EXPECT_EQ(percentile(d, 0), *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(percentile(d, whole_share), *std::max_element(values.begin(), values.end()));
}

void expect_bound(const Generator& next) {
    const std::vector<int64_t> values = drawn(next);
    expect_exact_figures(values);
    expect_quantiles_within_bound(values);
}

class DistBound : public testing::Test {
  protected:
    template <class Shape>
    Generator of(Shape shape) {
        return [this, shape]() mutable { return shape(random_); };
    }
    std::mt19937_64 random_{20'240'229};
};

TEST_F(DistBound, Uniform) { expect_bound(of(std::uniform_real_distribution<>(0, 1e7))); }

TEST_F(DistBound, Exponential) { expect_bound(of(std::exponential_distribution<>(1 / 50e3))); }

TEST_F(DistBound, LogNormal) { expect_bound(of(std::lognormal_distribution<>(10, 2))); }

TEST_F(DistBound, Bimodal) {  // a cache and what lies behind it
    const Generator hit = of(std::normal_distribution<>(2e3, 300)), miss = of(std::normal_distribution<>(8e6, 2e6));
    const Generator which = of(std::uniform_real_distribution<>(0, 1));
    expect_bound([&] { return which() < 0.95 ? hit() : miss(); });
}

TEST_F(DistBound, ConstantWithOutliers) {
    const Generator outlier = of(std::uniform_real_distribution<>(1e9, 60e9)),
                    which = of(std::uniform_real_distribution<>(0, 1));
    expect_bound([&] { return which() < 0.995 ? 777'777 : outlier(); });
}

// ---- percentiles

TEST(DistPercentile, OfNothingIsNothing) { EXPECT_EQ(percentile(Distribution{}, 50'000'000), std::nullopt); }

TEST(DistPercentile, OfOneValueIsThatValue) {
    for (int64_t value : {least_integer, int64_t{-5}, int64_t{0}, int64_t{999}, int64_t{123'456'789}, most_integer}) {
        const Distribution d = recorded({value});
        for (uint64_t share : {uint64_t{0}, uint64_t{1}, whole_share / 2, whole_share})
            EXPECT_EQ(percentile(d, share), value);
    }
}

TEST(DistPercentile, TakesTheRankAtOrAbove) {
    std::vector<int64_t> values;
    for (int64_t v = 1; v <= 10; v++) values.push_back(v);
    const Distribution d = recorded(values);
    EXPECT_EQ(percentile(d, 50'000'000), 5);
    EXPECT_EQ(percentile(d, 50'000'001), 6);
    EXPECT_EQ(percentile(d, 90'000'000), 9);
    EXPECT_EQ(percentile(d, 90'000'001), 10);
}

TEST(DistPercentile, OfManyDoesNotOverflow) {
    Distribution d = recorded({1, 2, 3});
    d.buckets[bucket_of(1)] = uint64_t{1} << 62;
    d.buckets[bucket_of(2)] = uint64_t{1} << 60;
    EXPECT_EQ(percentile(d, 79'999'999), 1);
    EXPECT_EQ(percentile(d, 80'000'001), 2);
}

TEST(DistPercentile, StaysBetweenTheExtremes) {
    const Distribution d = recorded({1000, 1001, 1001, 1002});  // all in [992, 1024), whose middle is 1008
    EXPECT_EQ(percentile(d, 50'000'000), 1002);
}

TEST(DistPercentile, OfNegativeValuesIsAsExact) {
    EXPECT_EQ(percentile(recorded({-100, -7, 0}), 50'000'000), -7);
    const Distribution d = recorded({-100, -10, -10, 5});
    EXPECT_EQ(percentile(d, 0), -100);
    EXPECT_EQ(percentile(d, 50'000'000), -10);
    EXPECT_EQ(percentile(d, whole_share), 5);
}

// A value that could not raise the maximum in time is counted as contended, but stands in its bucket.
TEST(DistPercentile, WithoutExtremesIsTheMiddle) {
    Distribution d;
    d.buckets[bucket_of(1000)] = 1;
    EXPECT_EQ(percentile(d, 50'000'000), 1008);
}

// ---- merging

TEST(DistMerge, IsAsIfCollectedTogether) {
    std::mt19937_64 random(7);
    std::vector<int64_t> all;
    Distribution merged;
    for (int part = 0; part < 5; part++) {
        std::vector<int64_t> values;
        for (int i = 0; i < 1000; i++) values.push_back(static_cast<int64_t>(random()) >> (random() % 64));
        merge(merged, recorded(values));
        all.insert(all.end(), values.begin(), values.end());
    }
    EXPECT_EQ(merged, recorded(all));
}

TEST(DistMerge, WithNothingChangesNothing) {
    const Distribution one = recorded({-3, 7});
    Distribution merged = one;
    merge(merged, {});
    EXPECT_EQ(merged, one);
    Distribution empty;
    merge(empty, one);
    EXPECT_EQ(empty, one);
}

// ---- shown

std::string shown(const Distribution& d, View view, bool plain = false) {
    return show({aggregation_type(Aggregation::dist, view), d}, plain);
}

TEST(DistText, FiguresAndBars) {
    EXPECT_EQ(shown(recorded({1, 2, 3, 10}), View::plain),
              "   count      min      avg      p50      p90      p99    p99.9      max\n"
              "       4        1        4        2       10       10       10       10\n"
              "[1]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
              "[2, 4)                 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
              "[4, 8)                 0 |                                                    |\n"
              "[8, 16)                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n");
}

TEST(DistText, OfDurations) {
    const Distribution d = recorded({1'500, 2'500'000});
    EXPECT_EQ(shown(d, View::duration).substr(0, 144),
              "   count      min      avg      p50      p90      p99    p99.9      max\n"
              "       2    1.5us   1.25ms    1.5us    2.5ms    2.5ms    2.5ms    2.5ms\n");
    EXPECT_EQ(shown(d, View::duration, true).substr(0, 144),
              "   count      min      avg      p50      p90      p99    p99.9      max\n"
              "       2     1500  1250750     1500  2500000  2500000  2500000  2500000\n");
}

TEST(DistText, LongNumbersKeepTheColumns) {
    EXPECT_EQ(shown(recorded({-123'456'789'012, 5}), View::plain).substr(0, 172),
              "   count           min          avg           p50      p90      p99    p99.9      max\n"
              "       2 -123456789012 -61728394503 -123456789012        5        5        5        5\n");
}

TEST(DistText, OfNothing) {
    EXPECT_EQ(shown({}, View::duration),
              "   count      min      avg      p50      p90      p99    p99.9      max\n"
              "       0        -        -        -        -        -        -        -\n");
}

TEST(DistText, HasTheBarsOfHist) {
    std::mt19937_64 random(3);
    Distribution d;
    Histogram h{std::vector<uint64_t>(hist_buckets)};
    for (int i = 0; i < 10'000; i++) {
        const int64_t value = static_cast<int64_t>(random()) >> (random() % 64);
        record(d, value);
        h.buckets[hist_index(value, View::plain)]++;
    }
    EXPECT_EQ(histogram_of(d, View::plain), h);
}

// [992, 1024) goes whole to where its middle lies; all else is where hist() puts it.
TEST(DistText, CutBucketsGoToTheSideOfTheirMiddle) {
    Distribution d = recorded({1, 995, 1'000'000});
    Histogram folded = histogram_of(d, View::duration);
    EXPECT_EQ(folded.buckets[hist_index(995, View::duration)], 0U);
    EXPECT_EQ(folded.buckets[hist_index(1000, View::duration)], 1U);
    EXPECT_EQ(folded.buckets[hist_index(1, View::duration)], 1U);
    folded = histogram_of(recorded({1, 995}), View::duration);
    EXPECT_EQ(folded.buckets[hist_index(995, View::duration)], 1U) << "clamped to the maximum";
}

size_t rows_of(const Distribution& d, View view) {
    const std::string text = shown(d, view);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) - 2;
}

TEST(DistText, HasFewRows) {
    for (View view : {View::plain, View::duration}) {
        for (uint32_t low = 0; low < 63; low++) {
            for (uint32_t high = low; high < 63; high++) {
                EXPECT_LE(rows_of(recorded({int64_t{1} << low, int64_t{1} << high}), view), 20U) << low << ' ' << high;
            }
        }
        EXPECT_LE(rows_of(recorded({-1, 0, 1, most_integer}), view), 22U);
    }
}

TEST(DistText, RowsOfSeveralBucketsBeginAtUnits) {
    const std::string text = shown(recorded({1'000, 1'000'000'000'000}), View::duration);
    EXPECT_NE(text.find("[1us, 4us) "), std::string::npos) << text;
    EXPECT_NE(text.find("[1ms, 4ms) "), std::string::npos) << text;
    EXPECT_NE(text.find("[1s, 4s) "), std::string::npos) << text;
}

}  // namespace
}  // namespace lt
