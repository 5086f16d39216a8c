#include "runtime/values/add_up.h"

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "runtime/border/plan.h"

namespace lt {
namespace {

bool sum_of(int64_t& into, int64_t more, bool is_signed) {
    if (is_signed) return !__builtin_add_overflow(into, more, &into);
    uint64_t sum = 0;
    if (__builtin_add_overflow(static_cast<uint64_t>(into), static_cast<uint64_t>(more), &sum)) return false;
    into = static_cast<int64_t>(sum);
    return true;
}

bool sum_of(std::vector<uint64_t>& into, const std::vector<uint64_t>& more) {
    if (into.size() != more.size()) return false;
    for (size_t i = 0; i < into.size(); i++)
        if (__builtin_add_overflow(into[i], more[i], &into[i])) return false;
    return true;
}

// `into` is a copy: it may be left half added.
struct UpAdder {
    const Type& type;
    Data& into;

    bool operator()(int64_t more) const { return sum_of(std::get<int64_t>(into), more, type.is_signed); }
    bool operator()(const Average& more) const {
        auto& sum = std::get<Average>(into);
        sum.count += more.count;
        return sum_of(sum.sum, more.sum, type.is_signed);
    }
    bool operator()(const Extreme& more) const {
        auto& sum = std::get<Extreme>(into);
        const uint64_t flip = order_flip(type.aggregation, type.is_signed);
        const auto order = [flip](int64_t n) { return static_cast<uint64_t>(n) ^ flip; };
        if (more.seen && (!sum.seen || order(more.value) > order(sum.value))) sum = more;
        return true;
    }
    bool operator()(const Histogram& more) const { return sum_of(std::get<Histogram>(into).buckets, more.buckets); }
    bool operator()(const Distribution& more) const {
        auto& sum = std::get<Distribution>(into);
        sum.count += more.count;
        sum.least = std::min(sum.least, more.least);
        sum.greatest = std::max(sum.greatest, more.greatest);
        return sum_of(sum.sum, more.sum, true) && sum_of(sum.buckets, more.buckets);
    }
    bool operator()(const Causes& more) const {
        auto& sum = std::get<Causes>(into);
        sum.count += more.count;
        for (size_t i = 0; i < sum.times.size(); i++)
            if (!sum_of(sum.times[i], more.times[i], true)) return false;
        return true;
    }
    bool operator()(const auto&) const { return false; }
};

}  // namespace

bool can_add_up(const Type& type) {
    constexpr std::array never{Aggregation::none, Aggregation::samples, Aggregation::tseries};
    return !contains(never, type.aggregation);
}

bool add_up(Value& into, const Value& more) {
    if (!can_add_up(into.type) || into.data.index() != more.data.index()) return false;
    Data sum = into.data;
    if (!std::visit(UpAdder{into.type, sum}, more.data)) return false;
    into.data = std::move(sum);
    return true;
}

}  // namespace lt
