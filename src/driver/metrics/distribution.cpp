#include "driver/metrics/distribution.h"

#include <algorithm>
#include <cmath>

#include "runtime/border/layouts/dist_buckets.h"

namespace lt::agent {
namespace {

constexpr int native_schema = 8;                    // 256 buckets for each doubling
constexpr unsigned first_time = 8, last_time = 36;  // 256 ns to 69 s
constexpr unsigned last_number = 40;

// The greatest integer in each bucket: a power of two, where a bucket of dist() ends, too.
std::vector<int64_t> last_integers(const Type& type) {
    std::vector<int64_t> out;
    const bool is_time = type.view == View::duration;
    if (!is_time && type.is_signed) out.push_back(-1);
    if (!is_time) out.push_back(0);
    for (unsigned doublings = is_time ? first_time : 0; doublings <= (is_time ? last_time : last_number); doublings++)
        out.push_back(int64_t{1} << doublings);
    return out;
}

// The bucket of a value in the base unit: its upper bound is inclusive.
int32_t native_index(double value) { return static_cast<int32_t>(std::ceil(std::log2(value) * (1 << native_schema))); }

}  // namespace

std::vector<double> distribution_bounds(const Type& type, int64_t divisor) {
    std::vector<double> out;
    for (const int64_t last : last_integers(type))
        out.push_back(static_cast<double>(last) / static_cast<double>(divisor));
    return out;
}

HistogramPoint exposed_distribution(const Distribution& distribution, const Type& type, int64_t divisor) {
    const std::vector<int64_t> bounds = last_integers(type);
    HistogramPoint out;
    out.counts.resize(bounds.size() + 1);
    out.sum = distribution.sum;
    NativeBuckets native{native_schema}, exact{dist_schema};
    for (uint32_t i = 0; i < distribution.buckets.size(); i++) {
        const uint64_t count = distribution.buckets[i];
        if (count == 0) continue;
        const DistBucket bucket = dist_bucket(i);
        const auto at = std::ranges::lower_bound(bounds, bucket.high);
        out.counts[static_cast<size_t>(at - bounds.begin())] += count;
        const double middle = static_cast<double>(bucket.middle) / static_cast<double>(divisor);
        if (bucket.middle == 0)
            native.zero += count;
        else
            (middle < 0 ? native.negative : native.positive)[native_index(std::abs(middle))] += count;
        if (i == dist_zero)
            exact.zero += count;
        else if (i > dist_zero)
            exact.positive[static_cast<int32_t>(i - dist_zero - 1)] += count;
        else
            exact.negative[static_cast<int32_t>(dist_zero - 1 - i)] += count;
    }
    out.native = std::move(native);
    out.exact = std::move(exact);
    return out;
}

}  // namespace lt::agent
