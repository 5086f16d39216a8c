#include "runtime/values/period.h"

#include <algorithm>

#include "runtime/border/layouts/dist_buckets.h"

namespace lt {
namespace {

std::optional<Distribution> since(const Distribution& now, const Distribution& then) {
    Distribution d;
    uint32_t lowest = dist_buckets, highest = 0;
    for (uint32_t i = 0; i < dist_buckets; i++) {
        if (now.buckets[i] < then.buckets[i]) return {};
        d.buckets[i] = now.buckets[i] - then.buckets[i];
        if (d.buckets[i] == 0) continue;
        d.count += d.buckets[i];
        lowest = std::min(lowest, i);
        highest = i;
    }
    d.sum = now.sum - then.sum;
    if (d.count == 0) return d;
    // A new extreme is known exactly, the others as precisely as the other values: by bucket.
    const auto middle = [&](uint32_t bucket) {
        return std::clamp(dist_bucket(bucket).middle, now.least, now.greatest);
    };
    d.least = now.least < then.least ? now.least : middle(lowest);
    d.greatest = now.greatest > then.greatest ? now.greatest : middle(highest);
    return d;
}

bool subtract_from(std::vector<uint64_t>& now, const std::vector<uint64_t>& then) {
    for (size_t i = 0; i < now.size() && i < then.size(); i++) {
        if (now[i] < then[i]) return false;
        now[i] -= then[i];
    }
    return true;
}

std::optional<Histogram> since(const Histogram& now, const Histogram& then) {
    Histogram h = now;
    return subtract_from(h.buckets, then.buckets) ? std::optional(std::move(h)) : std::nullopt;
}

// Extremes and squares cannot be subtracted.
std::optional<Samples> since(const Samples& now, const Samples& then) {
    if (now.count < then.count) return {};
    Samples s;
    s.count = now.count - then.count;
    s.sum = now.sum - then.sum;
    s.log = now.log;
    s.linear = now.linear;
    if (!subtract_from(s.log, then.log) || !subtract_from(s.linear, then.linear)) return {};
    return s;
}

std::optional<Average> since(const Average& now, const Average& then) {
    if (now.count < then.count) return {};
    return Average{now.sum - then.sum, now.count - then.count};
}

}  // namespace

bool adds_up(const Type& type) {
    return type.aggregation == Aggregation::count || type.aggregation == Aggregation::sum;
}

std::optional<Data> collected_since(const Value& now, const Value& then) {
    const auto of = [&]<class T>(const T& data) -> std::optional<Data> {
        if constexpr (std::is_same_v<T, Distribution> || std::is_same_v<T, Histogram> || std::is_same_v<T, Average> ||
                      std::is_same_v<T, Samples>) {
            const T* other = std::get_if<T>(&then.data);
            auto difference = other ? since(data, *other) : std::nullopt;
            return difference ? std::optional<Data>(*std::move(difference)) : std::nullopt;
        } else if constexpr (std::is_same_v<T, int64_t>) {
            const int64_t* other = std::get_if<int64_t>(&then.data);
            if (!adds_up(now.type) || !other) return {};
            const bool is_signed = now.type.is_signed;
            const bool only_grows =
                now.type.aggregation == Aggregation::count || !is_signed || now.type.view == View::duration;
            const auto later = static_cast<uint64_t>(data), earlier = static_cast<uint64_t>(*other);
            if (only_grows && (is_signed ? data < *other : later < earlier)) return {};
            return Data(static_cast<int64_t>(later - earlier));
        } else {
            return {};
        }
    };
    return std::visit(of, now.data);
}

}  // namespace lt
