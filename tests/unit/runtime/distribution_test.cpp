// Distributions: the kernel's rule for the bucket (its own source, compiled here) and the runtime's bounds describe the
// same buckets; percentiles keep the bound that runtime/border/layouts/dist_buckets.h states; merging loses nothing.
#include "runtime/values/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "runtime/print/figures.h"
#include "runtime/print/printer.h"
#include "runtime/values/hist.h"
#include "stdlib/bpf/dist.h"

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
    EXPECT_LE(value, b.high) << index;
}

// ---- the bounds, against integers of any size

using Digits = std::vector<uint32_t>;  // the lowest first

Digits product(const Digits& a, const Digits& b) {
    Digits out(a.size() + b.size());
    for (size_t i = 0; i < a.size(); i++) {
        uint64_t carry = 0;
        for (size_t j = 0; j < b.size(); j++) {
            carry += out[i + j] + uint64_t{a[i]} * b[j];
            out[i + j] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
        out[i + b.size()] = static_cast<uint32_t>(carry);
    }
    return out;
}

// The number of bits of value - 1, for a value above zero.
uint32_t bits_before(Digits value) {
    for (uint32_t& digit : value)
        if (digit-- != 0) break;
    uint32_t bits = 0;
    for (size_t i = 0; i < value.size(); i++)
        if (value[i] != 0) bits = static_cast<uint32_t>(32 * i) + static_cast<uint32_t>(std::bit_width(value[i]));
    return bits;
}

// The least n with size <= 2^(n/16), that is with size^16 <= 2^n.
uint32_t exact_number(uint64_t size) {
    Digits power{static_cast<uint32_t>(size), static_cast<uint32_t>(size >> 32)};
    for (int i = 0; i < 4; i++) power = product(power, power);
    return bits_before(power);
}

TEST(DistBuckets, NumbersOfSmallSizesAreExact) {
    for (uint64_t size = 1; size <= 100'000; size++) ASSERT_EQ(lt_dist_number(size), exact_number(size)) << size;
}

TEST(DistBuckets, EveryBoundAndTheNextSizeAreExact) {
    for (uint32_t n = 0; n <= LT_DIST_LAST; n++) {
        const uint64_t bound = dist_bound(n);
        EXPECT_LE(exact_number(bound), n);
        EXPECT_GT(exact_number(bound + 1), n);
        for (const uint64_t size : {std::max<uint64_t>(bound - 1, 1), bound, bound + 1})
            EXPECT_EQ(lt_dist_number(size), exact_number(size)) << size;
    }
}

TEST(DistBuckets, RandomSizesAreExact) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 50'000; i++) {
        const uint64_t size = (random() >> random() % 64) | 1;
        ASSERT_EQ(lt_dist_number(size), exact_number(size)) << size;
    }
}

TEST(DistBuckets, HaveTheNumbersOfPrometheus) {
    EXPECT_EQ(bucket_of(1), dist_zero + 1);
    EXPECT_EQ(bucket_of(2), dist_zero + 1 + 16);
    EXPECT_EQ(bucket_of(1024), dist_zero + 1 + 160) << "a bound belongs to the bucket that it ends";
    EXPECT_EQ(bucket_of(1025), dist_zero + 1 + 161);
    EXPECT_EQ(bucket_of(0), dist_zero);
    EXPECT_EQ(bucket_of(-1), dist_zero - 1);
    EXPECT_EQ(bucket_of(-1024), dist_zero - 1 - 160);
}

TEST(DistBuckets, TheLastOnesHoldTheLargestNumbers) {
    EXPECT_EQ(bucket_of(most_integer), dist_buckets - 1);
    EXPECT_EQ(dist_bucket(dist_buckets - 1).high, most_integer);
    EXPECT_EQ(bucket_of(least_integer), 0U);
    EXPECT_EQ(dist_bucket(0).low, least_integer);
    // 1 ns to 70 s
    EXPECT_EQ(bucket_of(int64_t{1} << 36) - bucket_of(1) + 1, 577U);
}

TEST(DistBuckets, FollowEachOtherWithoutAGap) {
    EXPECT_EQ(dist_bucket(dist_zero).low, 0);
    EXPECT_EQ(dist_bucket(dist_zero).high, 0);
    for (uint32_t i = 0; i < dist_buckets; i++) {
        const DistBucket b = dist_bucket(i);
        if (i + 1 < dist_buckets) {
            EXPECT_EQ(dist_bucket(i + 1).low, b.high + 1) << i;
        }
        if (b.empty()) continue;
        EXPECT_EQ(bucket_of(b.low), i);
        EXPECT_EQ(bucket_of(b.high), i);
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
    for (int32_t v = -26; v <= 26; v++) {
        const DistBucket b = dist_bucket(bucket_of(v));
        EXPECT_EQ(b.low, v);
        EXPECT_EQ(b.high, v);
        EXPECT_EQ(b.middle, v);
    }
    EXPECT_EQ(bucket_of(27), bucket_of(28)) << "the first two that share a bucket";
}

// The bound that dist_buckets.h states.
double most_wrong(double value) {
    const double base = std::exp2(1.0 / 16);
    return std::abs(value) * (base - 1) / (base + 1) * (1 + 1e-12) + 0.5;
}

TEST(DistBuckets, MiddlesAreWithinTheBoundOfBothEnds) {
    EXPECT_LT((most_wrong(1e9) - 0.5) / 1e9, 0.022);
    for (uint32_t i = 0; i < dist_buckets; i++) {
        const DistBucket b = dist_bucket(i);
        if (b.empty()) continue;
        EXPECT_LE(static_cast<double>(b.middle - b.low), most_wrong(static_cast<double>(b.low))) << i;
        EXPECT_LE(static_cast<double>(b.high - b.middle), most_wrong(static_cast<double>(b.high))) << i;
        EXPECT_LE(b.low, b.middle);
        EXPECT_LE(b.middle, b.high);
        const DistBucket mirrored = dist_bucket(2 * dist_zero - i);
        if (i != 0 && i + 1 != dist_buckets) {
            EXPECT_EQ(mirrored.middle, -b.middle) << i;
        }
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
        EXPECT_LE(std::abs(static_cast<double>(*percentile(d, share)) - exact), most_wrong(exact))
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
    const Distribution d = recorded({990, 991, 991, 992});  // all in [981, 1024], whose middle is 1002
    EXPECT_EQ(percentile(d, 50'000'000), 992);
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
    EXPECT_EQ(percentile(d, 50'000'000), 1002);
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
              "[1]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
              "(1, 2]                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
              "(2, 4]                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
              "(4, 8]                 0 |                                                    |\n"
              "(8, 16]                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
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

// The bars include their upper bounds, as the buckets do; each value is in the right one.
TEST(DistText, BarsEndAtPowersOfTwo) {
    std::mt19937_64 random(3);
    Distribution d;
    Histogram h{std::vector<uint64_t>(hist_buckets)};
    for (int i = 0; i < 10'000; i++) {
        int64_t value = static_cast<int64_t>(random()) >> (random() % 64);
        if (i % 10 == 0) value = int64_t{1} << random() % 63;
        record(d, value);
        const auto doublings = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(value) - 1));
        h.buckets[value < 0 ? 0 : value == 0 ? 1 : 2 + doublings]++;
    }
    EXPECT_EQ(histogram_of(d, View::plain), h);
}

TEST(DistText, BarsOfDurationsIncludeTheirUpperBound) {
    EXPECT_EQ(bar_index(1, View::duration), 2U);
    EXPECT_EQ(bar_index(2, View::duration), 3U);
    EXPECT_EQ(bar_index(3, View::duration), 4U);
    EXPECT_EQ(bar_index(512, View::duration), 11U);
    EXPECT_EQ(bar_index(1000, View::duration), 12U);
    EXPECT_EQ(bar_index(1001, View::duration), 13U);
    EXPECT_EQ(bar_index(most_integer, View::duration), hist_buckets - 1);
}

// [981, 1024] goes whole to where its middle lies; all else is where the bounds put it.
TEST(DistText, CutBucketsGoToTheSideOfTheirMiddle) {
    Distribution d = recorded({1, 995, 1'000'000});
    Histogram folded = histogram_of(d, View::duration);
    EXPECT_EQ(folded.buckets[bar_index(995, View::duration)], 0U);
    EXPECT_EQ(folded.buckets[bar_index(1002, View::duration)], 1U);
    EXPECT_EQ(folded.buckets[bar_index(1, View::duration)], 1U);
    folded = histogram_of(recorded({1, 995}), View::duration);
    EXPECT_EQ(folded.buckets[bar_index(995, View::duration)], 1U) << "clamped to the maximum";
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
    EXPECT_NE(text.find("(1us, 4us] "), std::string::npos) << text;
    EXPECT_NE(text.find("(1ms, 4ms] "), std::string::npos) << text;
    EXPECT_NE(text.find("(1s, 4s] "), std::string::npos) << text;
}

}  // namespace
}  // namespace lt
