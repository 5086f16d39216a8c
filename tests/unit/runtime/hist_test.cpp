// Bounds of histograms: the runtime's bounds and the kernel's rule for the index must describe the same buckets.
#include "runtime/values/hist.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

namespace lt {
namespace {

constexpr uint64_t unbounded = std::numeric_limits<uint64_t>::max();

// The one bound inside (2^k, 2^(k+1)], as the BPF side holds it in a table; written out here a second time on purpose.
constexpr uint64_t inner_bounds[64] = {
    2ULL,
    4ULL,
    8ULL,
    16ULL,
    32ULL,
    64ULL,
    128ULL,
    256ULL,
    512ULL,
    1000ULL,
    2000ULL,
    4000ULL,
    8000ULL,
    16000ULL,
    32000ULL,
    64000ULL,
    128000ULL,
    256000ULL,
    512000ULL,
    1000000ULL,
    2000000ULL,
    4000000ULL,
    8000000ULL,
    16000000ULL,
    32000000ULL,
    64000000ULL,
    128000000ULL,
    256000000ULL,
    512000000ULL,
    1000000000ULL,
    2000000000ULL,
    4000000000ULL,
    8000000000ULL,
    16000000000ULL,
    32000000000ULL,
    64000000000ULL,
    128000000000ULL,
    256000000000ULL,
    512000000000ULL,
    1024000000000ULL,
    2048000000000ULL,
    4096000000000ULL,
    8192000000000ULL,
    16384000000000ULL,
    32768000000000ULL,
    65536000000000ULL,
    131072000000000ULL,
    262144000000000ULL,
    524288000000000ULL,
    1048576000000000ULL,
    2097152000000000ULL,
    4194304000000000ULL,
    8388608000000000ULL,
    16777216000000000ULL,
    33554432000000000ULL,
    67108864000000000ULL,
    134217728000000000ULL,
    268435456000000000ULL,
    536870912000000000ULL,
    1073741824000000000ULL,
    2147483648000000000ULL,
    4294967296000000000ULL,
    8589934592000000000ULL,
    unbounded,
};

uint32_t kernel_index(uint64_t v) {
    const auto k = static_cast<uint32_t>(std::bit_width(v) - 1);
    return 2 + k + (v >= inner_bounds[k] ? 1 : 0);
}

void expect_in_bucket(uint64_t v) {
    const uint32_t i = kernel_index(v);
    ASSERT_LT(i, hist_buckets) << v;
    EXPECT_GE(v, hist_bound(i, View::duration)) << i;
    EXPECT_LT(v, hist_bound(i + 1, View::duration)) << v << " in " << i;
}

TEST(Hist, DurationBoundsAscendByAboutTwo) {
    for (uint32_t i = 2; i < hist_buckets; i++) {
        const uint64_t low = hist_bound(i, View::duration);
        const uint64_t high = hist_bound(i + 1, View::duration);
        EXPECT_LT(low, high);
        EXPECT_LE(high - low, low) << i;
        EXPECT_GE(high, low + low / 16 * 15) << i;
    }
}

TEST(Hist, DurationBoundsAreRound) {
    EXPECT_EQ(hist_bound(2, View::duration), 1U);
    EXPECT_EQ(hist_bound(11, View::duration), 512U);
    EXPECT_EQ(hist_bound(12, View::duration), 1'000U);
    EXPECT_EQ(hist_bound(21, View::duration), 512'000U);
    EXPECT_EQ(hist_bound(22, View::duration), 1'000'000U);
    EXPECT_EQ(hist_bound(32, View::duration), 1'000'000'000U);
    EXPECT_EQ(hist_bound(41, View::duration), 512'000'000'000U);
    EXPECT_EQ(hist_bound(65, View::duration), 8'589'934'592'000'000'000U);
}

TEST(Hist, InnerBoundsAreTheBoundsAboveEachPowerOfTwo) {
    for (uint32_t k = 0; k < 63; k++) EXPECT_EQ(inner_bounds[k], hist_bound(k + 3, View::duration)) << k;
}

TEST(Hist, KernelIndexAgreesAroundEveryBoundAndPower) {
    for (uint32_t i = 2; i < hist_buckets; i++) {
        const uint64_t bound = hist_bound(i, View::duration);
        EXPECT_EQ(kernel_index(bound), i);
        if (i > 2) {
            EXPECT_EQ(kernel_index(bound - 1), i - 1);
        }
        expect_in_bucket(bound + 1);
    }
    for (uint32_t k = 0; k < 63; k++) {
        const uint64_t power = uint64_t{1} << k;
        for (uint64_t v : {power - 1, power, power + 1}) {
            if (v > 0) expect_in_bucket(v);
        }
    }
    EXPECT_EQ(kernel_index(std::numeric_limits<int64_t>::max()), 65U);
}

TEST(Hist, KernelIndexAgreesForRandomValues) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; i++) expect_in_bucket((random() >> (1 + random() % 62)) | 1U);
}

TEST(Hist, PlainBoundsArePowersOfTwo) {
    EXPECT_EQ(hist_bound(2, View::plain), 1U);
    EXPECT_EQ(hist_bound(65, View::plain), uint64_t{1} << 63);
    EXPECT_EQ(hist_bound(66, View::plain), unbounded);
}

Histogram filled(std::initializer_list<std::pair<uint32_t, uint64_t>> counts) {
    Histogram out{std::vector<uint64_t>(hist_buckets)};
    for (const auto& [bucket, count] : counts) out.buckets[bucket] = count;
    return out;
}

std::string rows(const Histogram& h, View view, bool plain) {
    std::string out;
    append_bars(out, bars_of(h, view, plain));
    return out;
}

TEST(Hist, RowsLikeBpftrace) {
    EXPECT_EQ(rows(filled({{0, 1}, {1, 1}, {4, 1}, {5, 2}}), View::plain, false),
              "(..., 0)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
              "[0]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
              "[1]                    0 |                                                    |\n"
              "[2, 4)                 0 |                                                    |\n"
              "[4, 8)                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
              "[8, 16)                2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    EXPECT_EQ(rows(filled({{11, 1}, {12, 3}}), View::plain, true),
              "[512, 1K)              1 |@@@@@@@@@@@@@@@@@                                   |\n"
              "[1K, 2K)               3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
}

TEST(Hist, RowsOfDurations) {
    EXPECT_EQ(rows(filled({{1, 1}, {2, 2}}), View::duration, false),
              "[0ns]                  1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |\n"
              "[1ns]                  2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    EXPECT_EQ(rows(filled({{11, 1}, {12, 3}}), View::duration, false),
              "[512ns, 1us)           1 |@@@@@@@@@@@@@@@@@                                   |\n"
              "[1us, 2us)             3 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
    EXPECT_EQ(rows(filled({{41, 1}, {42, 1}}), View::duration, false),
              "[512s, 1024s)          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
              "[1024s, 2048s)         1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
}

TEST(Hist, LongLabelsKeepTheColumns) {
    EXPECT_EQ(rows(filled({{64, 1}, {65, 1}}), View::duration, false),
              "[4294967296s, 8589934592s)       1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
              "[8589934592s, ...)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n");
}

TEST(Hist, NoRowsWithoutCounts) {
    EXPECT_EQ(rows(filled({}), View::plain, false), "");
    EXPECT_EQ(rows(Histogram{}, View::plain, false), "");
}

}  // namespace
}  // namespace lt
