#include "driver/merge/add_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/border/layouts/dist_buckets.h"
#include "runtime/border/plan.h"
#include "runtime/print/json_value.h"
#include "runtime/values/buckets.h"

namespace lt {
namespace {

using Fault = std::optional<std::string>;

constexpr std::string_view too_large = "the sum does not fit into 64 bits";

Fault not_whole(std::string_view what) { return fmt::format("{} is missing, or not a whole number", what); }

bool add_whole(uint64_t& into, uint64_t more) { return !__builtin_add_overflow(into, more, &into); }
bool add_whole(int64_t& into, int64_t more) { return !__builtin_add_overflow(into, more, &into); }

// Adds a member that is a count or a sum.
template <class Integer>
Fault add_member(Integer& into, const Json& value, std::string_view name) {
    std::optional<Integer> more;
    if constexpr (std::is_signed_v<Integer>)
        more = integer_of(member_of(value, name));
    else
        more = count_of(member_of(value, name));
    if (!more) return not_whole(fmt::format("its `{}`", name));
    // signed sums are divided by their counts as signed numbers
    return add_whole(into, *more) && std::in_range<int64_t>(into) ? Fault() : Fault(std::string(too_large));
}

// The bits of an integer of the map's type.
std::optional<int64_t> number_in(const Json& value, const Type& type) {
    if (type.is_signed) return integer_of(&value);
    const auto count = count_of(&value);
    return count ? std::optional(static_cast<int64_t>(*count)) : std::nullopt;
}

// ---- one function for each sort of value

Fault add_number(int64_t& into, int64_t more, bool is_signed) {
    if (is_signed) return add_whole(into, more) ? Fault() : Fault(std::string(too_large));
    auto sum = static_cast<uint64_t>(into);
    if (!add_whole(sum, static_cast<uint64_t>(more))) return std::string(too_large);
    into = static_cast<int64_t>(sum);
    return {};
}

Fault add_total(int64_t& into, const Json& value, const Type& type) {
    const auto more = number_in(value, type);
    return more ? add_number(into, *more, type.is_signed) : not_whole("the value");
}

// null: there was no value yet.
Fault add_extreme(Extreme& into, const Json& value, const Type& type) {
    if (value.is_null()) return {};
    const auto number = number_in(value, type);
    if (!number) return not_whole("the value");
    const uint64_t flip = order_flip(type.aggregation, type.is_signed);
    const auto order = [flip](int64_t n) { return static_cast<uint64_t>(n) ^ flip; };
    if (!into.seen || order(*number) > order(into.value)) into.value = *number;
    into.seen = true;
    return {};
}

Fault add_average(Average& into, const Json& value, const Type& type) {
    if (Fault fault = add_member(into.count, value, "count")) return fault;
    const Json* total = member_of(value, "total");
    auto more = total ? number_in(*total, type) : std::nullopt;
    if (!more) more = integer_of(total);  // earlier versions wrote all totals with a sign
    return more ? add_number(into.sum, *more, type.is_signed) : not_whole("its `total`");
}

// The last bucket of unsigned values begins at 2^63, see least_text().
std::optional<int64_t> bound_of(const Json& bucket, std::string_view name) {
    const Json* json = member_of(bucket, name);
    if (!json) return {};
    const bool is_last_unsigned = count_of(json) == uint64_t{1} << 63;
    return is_last_unsigned ? std::numeric_limits<int64_t>::max() : integer_of(json);
}

// {"min": 4, "max": 7, "count": 2}
Fault add_bucket(Histogram& into, const Json& bucket, const Type& type) {
    const BucketRange range{bound_of(bucket, "min"), bound_of(bucket, "max")};
    const auto count = count_of(member_of(bucket, "count"));
    if (!count) return not_whole("the count of a bucket");
    for (size_t i = 0; i < into.buckets.size(); i++) {
        if (!(bucket_range(type, i) == range)) continue;
        return add_whole(into.buckets[i], *count) ? Fault() : Fault(std::string(too_large));
    }
    return fmt::format("its map has no bucket {}", range_text(range, View::plain));
}

Fault add_histogram(Histogram& into, const Json& value, const Type& type) {
    if (!value.is_array()) return "the value is not an array of buckets";
    for (const Json& bucket : value)
        if (Fault fault = add_bucket(into, bucket, type)) return fault;
    return {};
}

// The counts of one side, see append_side() in runtime/print/json_value.cpp. `total`: of all sides.
Fault add_side(Distribution& into, const Json& exponential, std::string_view name, int step, uint64_t& total) {
    const Json* side = member_of(exponential, name);
    const auto offset = count_of(side ? member_of(*side, "offset") : nullptr);
    const Json* counts = side ? member_of(*side, "counts") : nullptr;
    if (!offset || !counts || !counts->is_array()) return fmt::format("its `exponential.{}` is damaged", name);
    constexpr size_t numbers = LT_DIST_LAST + 1;
    if (*offset > numbers || counts->size() > numbers - *offset)
        return fmt::format("its `exponential.{}` has buckets beyond number {}", name, LT_DIST_LAST);
    auto at = static_cast<int64_t>(dist_zero) + step * static_cast<int64_t>(1 + *offset);
    for (const Json& each : *counts) {
        const auto count = count_of(&each);
        if (!count) return not_whole(fmt::format("a count in its `exponential.{}`", name));
        if (!add_whole(into.buckets[static_cast<size_t>(at)], *count) || !add_whole(total, *count))
            return std::string(too_large);
        at += step;
    }
    return {};
}

Fault add_buckets_of(Distribution& into, const Json& value, uint64_t count) {
    const Json* exponential = member_of(value, "exponential");
    if (!exponential) return "it has no `exponential`, the buckets that can be added";
    const auto version = integer_of(member_of(*exponential, "version"));
    const auto schema = integer_of(member_of(*exponential, "schema"));
    const auto zero = count_of(member_of(*exponential, "zero"));
    if (!version || !schema || !zero) return "its `exponential` is damaged";
    if (*version != exponential_version)
        return fmt::format("its buckets have version {}; this lt merges version {}", *version, exponential_version);
    if (*schema != dist_schema)
        return fmt::format("its buckets have schema {}; this lt merges schema {}", *schema, dist_schema);
    uint64_t total = *zero;
    if (!add_whole(into.buckets[dist_zero], *zero)) return std::string(too_large);
    for (const auto& [name, step] : {std::pair{"positive", 1}, std::pair{"negative", -1}})
        if (Fault fault = add_side(into, *exponential, name, step, total)) return fault;
    if (total == count) return {};
    return fmt::format("its buckets hold {} values, but its `count` is {}", total, count);
}

Fault add_distribution(Distribution& into, const Json& value) {
    const auto count = count_of(member_of(value, "count"));
    if (!count) return not_whole("its `count`");
    if (Fault fault = add_buckets_of(into, value, *count)) return fault;
    if (!add_whole(into.count, *count)) return std::string(too_large);
    if (Fault fault = add_member(into.sum, value, "total")) return fault;
    const Json *least = member_of(value, "min"), *greatest = member_of(value, "max");
    if (least && least->is_null() && greatest && greatest->is_null()) return {};  // not known
    const auto from = integer_of(least), to = integer_of(greatest);
    if (!from || !to || *from > *to) return "its `min` and `max` are damaged";
    into.least = std::min(into.least, *from);
    into.greatest = std::max(into.greatest, *to);
    return {};
}

Fault add_causes(Causes& into, const Json& value) {
    if (Fault fault = add_member(into.count, value, "count")) return fault;
    for (const CauseRow& row : cause_rows())
        if (Fault fault = add_member(into.times[static_cast<size_t>(row.id)], value, row.name)) return fault;
    return {};
}

struct Adder {
    const Type& type;
    const Json& value;
    Fault operator()(int64_t& into) const { return add_total(into, value, type); }
    Fault operator()(Extreme& into) const { return add_extreme(into, value, type); }
    Fault operator()(Average& into) const { return add_average(into, value, type); }
    Fault operator()(Histogram& into) const { return add_histogram(into, value, type); }
    Fault operator()(Distribution& into) const { return add_distribution(into, value); }
    Fault operator()(Causes& into) const { return add_causes(into, value); }
    Fault operator()(auto&) const { return std::string(why_not_added(type)); }
};

}  // namespace

std::string_view why_not_added(const Type& type) {
    switch (type.aggregation) {
        case Aggregation::none:
            return "it holds what was assigned last; use count() or sum() for what adds up";
        case Aggregation::avg:
            return "averages do not say of how many values they are; use stats() or dist()";
        case Aggregation::samples:
            return "samples() of several runs cannot be added up; use dist()";
        case Aggregation::tseries:
            return "the intervals of several runs do not begin at the same time";
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::stats:
        case Aggregation::dist:
        case Aggregation::why:
            return {};
    }
    return {};
}

bool is_one_number(const Type& type) {
    const bool is_number = type.view == View::plain || type.view == View::duration;
    return is_number && (type.aggregation == Aggregation::none || type.aggregation == Aggregation::avg);
}

Value nothing_collected(const Type& type) {
    switch (type.aggregation) {
        case Aggregation::min:
        case Aggregation::max:
            return {type, Extreme{}};
        case Aggregation::hist:
        case Aggregation::lhist:
            return {type, Histogram{std::vector<uint64_t>(bucket_count(type))}};
        case Aggregation::avg:
        case Aggregation::stats:
            return {type, Average{}};
        case Aggregation::dist:
            return {type, Distribution{}};
        case Aggregation::why:
            return {type, Causes{}};
        case Aggregation::none:
        case Aggregation::count:
        case Aggregation::sum:
        case Aggregation::samples:
        case Aggregation::tseries:
            return {type, int64_t{0}};
    }
    return {type, int64_t{0}};
}

std::optional<std::string> add_value(Value& into, const Json& value) {
    return std::visit(Adder{into.type, value}, into.data);
}

}  // namespace lt
