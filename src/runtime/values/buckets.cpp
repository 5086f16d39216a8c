#include "runtime/values/buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "runtime/border/duration.h"
#include "runtime/border/layouts/samples.h"
#include "runtime/border/plan.h"
#include "runtime/values/hist.h"

namespace lt {
namespace {

// One bucket below `least`, one for each step, the last from there on.
BucketRange linear_range(int64_t least, int64_t step, size_t bucket, size_t count) {
    if (bucket == 0) return {{}, least - 1};
    const int64_t from = least + static_cast<int64_t>(bucket - 1) * step;
    if (bucket + 1 == count) return {from, {}};
    return {from, from + step - 1};
}

BucketRange doubling_range(const Type& type, size_t bucket) {
    if (bucket == 0) return {{}, -1};
    if (bucket == 1) return {0, 0};
    const auto index = static_cast<uint32_t>(bucket);
    const bool last = bucket + 1 == bucket_count(type);
    const auto bound = [&](uint32_t at) {
        return type.shape ? static_cast<uint64_t>(fine_bound(at, type.shape->buckets[0])) : hist_bound(at, type.view);
    };
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();  // of unsigned values, the last begins at 2^63
    const auto least = static_cast<int64_t>(std::min(bound(index), most));
    return {least, last ? std::nullopt : std::optional(static_cast<int64_t>(bound(index + 1) - 1))};
}

BucketRange log_range(size_t bucket) {
    const int64_t bound = log_bound(static_cast<uint32_t>(bucket));
    if (bucket == log_zero) return {0, 0};
    if (bucket == 0) return {bound, bound};
    if (bucket < log_zero) return {2 * bound + 1, bound};
    return {bound, bound - 1 + bound};
}

std::string number_text(int64_t number, View view) {
    return view == View::duration ? show_duration(number) : fmt::format("{}", number);
}

}  // namespace

BucketRange bucket_range(const Type& type, size_t bucket) {
    if (type.aggregation != Aggregation::lhist) return doubling_range(type, bucket);
    const std::vector<int64_t>& b = type.shape->buckets;
    return linear_range(b[0], b[2], bucket, bucket_count(type));
}

BucketRange bucket_range(const Type& type, SampleHistogram which, size_t bucket) {
    if (which == SampleHistogram::log) return log_range(bucket);
    const std::vector<int64_t>& b = type.shape->buckets;
    return linear_range(b[1], b[3], bucket, samples_layout(type).linear_count);
}

bool begins_beyond_signed(const BucketRange& range) {
    return range.least == std::numeric_limits<int64_t>::max() && !range.greatest;
}

std::string least_text(const BucketRange& range) {
    return begins_beyond_signed(range) ? fmt::format("{}", uint64_t{1} << 63) : fmt::format("{}", *range.least);
}

std::string range_text(const BucketRange& range, View view) {
    if (!range.least) return fmt::format("(..., {})", number_text(*range.greatest + 1, view));
    const std::string from = view == View::duration ? show_duration(*range.least) : least_text(range);
    constexpr int64_t no_more = std::numeric_limits<int64_t>::max();
    if (range.greatest.value_or(no_more) == no_more) return fmt::format("[{}, ...)", from);
    if (*range.greatest == *range.least) return fmt::format("[{}]", from);
    if (*range.least < 0) return fmt::format("[{}, {}]", from, number_text(*range.greatest, view));
    return fmt::format("[{}, {})", from, number_text(*range.greatest + 1, view));
}

std::optional<size_t> percentile_bucket(const std::vector<uint64_t>& buckets, uint64_t share) {
    const uint64_t count = std::accumulate(buckets.begin(), buckets.end(), uint64_t{0});
    const auto wanted = static_cast<__uint128_t>(count) * share;
    __uint128_t seen = 0;
    for (size_t i = 0; i < buckets.size(); i++) {
        seen += static_cast<__uint128_t>(buckets[i]) * whole_share;
        if (buckets[i] != 0 && seen >= wanted) return i;
    }
    return {};
}

}  // namespace lt
