#include "runtime/values/buckets.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "runtime/border/layouts/samples.h"
#include "runtime/border/plan.h"

namespace lt {
namespace {

Type type_of(Aggregation aggregation, View view, std::vector<int64_t> buckets = {}) {
    Type type = aggregation_type(aggregation, view);
    if (!buckets.empty()) {
        Shape shape;
        shape.buckets = std::move(buckets);
        type.shape = std::move(shape);
    }
    return type;
}

TEST(Buckets, OfHist) {
    const Type plain = type_of(Aggregation::hist, View::plain);
    EXPECT_EQ(bucket_range(plain, 0), (BucketRange{{}, -1}));
    EXPECT_EQ(bucket_range(plain, 1), (BucketRange{0, 0}));
    EXPECT_EQ(bucket_range(plain, 2), (BucketRange{1, 1}));
    EXPECT_EQ(bucket_range(plain, 5), (BucketRange{8, 15}));
    EXPECT_EQ(bucket_range(plain, 64).greatest, std::numeric_limits<int64_t>::max());
    EXPECT_EQ(bucket_range(plain, 65), (BucketRange{std::numeric_limits<int64_t>::max(), {}}));
    EXPECT_EQ(least_text(bucket_range(plain, 65)), "9223372036854775808");
    EXPECT_EQ(least_text(bucket_range(plain, 5)), "8");
    EXPECT_EQ(range_text(bucket_range(plain, 65), View::plain), "[9223372036854775808, ...)");
    EXPECT_EQ(range_text(bucket_range(plain, 0), View::plain), "(..., 0)");
    EXPECT_EQ(range_text(bucket_range(plain, 2), View::plain), "[1]");
    EXPECT_EQ(range_text(bucket_range(plain, 5), View::plain), "[8, 16)");
    const Type duration = type_of(Aggregation::hist, View::duration);
    EXPECT_EQ(range_text(bucket_range(duration, 11), View::duration), "[512ns, 1us)");
}

TEST(Buckets, OfHistWithBits) {
    const Type fine = type_of(Aggregation::hist, View::plain, {2});
    EXPECT_EQ(bucket_range(fine, 1), (BucketRange{0, 0}));
    EXPECT_EQ(bucket_range(fine, 5), (BucketRange{4, 4}));
    EXPECT_EQ(bucket_range(fine, 9), (BucketRange{8, 9}));
}

TEST(Buckets, OfLhist) {
    const Type linear = type_of(Aggregation::lhist, View::plain, {10, 30, 10});
    EXPECT_EQ(bucket_range(linear, 0), (BucketRange{{}, 9}));
    EXPECT_EQ(bucket_range(linear, 1), (BucketRange{10, 19}));
    EXPECT_EQ(bucket_range(linear, 3), (BucketRange{30, {}}));
    EXPECT_EQ(range_text(bucket_range(linear, 3), View::plain), "[30, ...)");
}

TEST(Buckets, OfSamples) {
    const Type samples = type_of(Aggregation::samples, View::plain, {samples_log | samples_linear, 0, 20, 10});
    const auto log = [&](size_t bucket) { return bucket_range(samples, SampleHistogram::log, bucket); };
    EXPECT_EQ(log(log_zero), (BucketRange{0, 0}));
    EXPECT_EQ(log(log_zero + 1), (BucketRange{1, 1}));
    EXPECT_EQ(log(log_zero + 3), (BucketRange{4, 7}));
    EXPECT_EQ(log(log_buckets - 1).greatest, std::numeric_limits<int64_t>::max());
    EXPECT_EQ(log(log_zero - 1), (BucketRange{-1, -1}));
    EXPECT_EQ(log(log_zero - 3), (BucketRange{-7, -4}));
    EXPECT_EQ(log(0).least, std::numeric_limits<int64_t>::min());
    EXPECT_EQ(range_text(log(log_zero - 3), View::plain), "[-7, -4]");
    EXPECT_EQ(bucket_range(samples, SampleHistogram::linear, 0), (BucketRange{{}, -1}));
    EXPECT_EQ(bucket_range(samples, SampleHistogram::linear, 1), (BucketRange{0, 9}));
}

TEST(Buckets, OfPercentiles) {
    EXPECT_EQ(percentile_bucket({}, whole_share / 2), std::nullopt);
    EXPECT_EQ(percentile_bucket({0, 0}, whole_share / 2), std::nullopt);
    const std::vector<uint64_t> buckets{0, 50, 40, 0, 9, 1};
    EXPECT_EQ(percentile_bucket(buckets, 0), 1u);
    EXPECT_EQ(percentile_bucket(buckets, 50'000'000), 1u);  // the 50th of 100
    EXPECT_EQ(percentile_bucket(buckets, 50'000'001), 2u);
    EXPECT_EQ(percentile_bucket(buckets, 99'000'000), 4u);
    EXPECT_EQ(percentile_bucket(buckets, whole_share), 5u);
}

}  // namespace
}  // namespace lt
