// Bounds, labels and bars of histograms; rows look like bpftrace's, since people and scripts know that form.
#include "runtime/values/hist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "runtime/border/duration.h"

namespace lt {
namespace {

constexpr uint32_t negative_bucket = 0;
constexpr uint32_t zero_bucket = 1;
constexpr uint32_t first_bound = 2;
constexpr int bar_width = 52;
constexpr size_t label_width = 16;

// Ten doublings lead from one unit to the next, except that there is none after seconds.
constexpr uint32_t doublings_per_unit = 10;

uint64_t plain_bound(uint32_t doublings) {
    return doublings > 63 ? std::numeric_limits<uint64_t>::max() : uint64_t{1} << doublings;
}

uint64_t duration_bound(uint32_t doublings) {
    const size_t unit = std::min<size_t>(doublings / doublings_per_unit, duration_units.size() - 1);
    return duration_units[unit].nanoseconds << (doublings - unit * doublings_per_unit);
}

// A power of two as 1, 512, 1K, 2M.
std::string power_text(uint64_t bound) {
    constexpr std::string_view suffixes = " KMGTPE";
    const auto doublings = static_cast<uint32_t>(std::bit_width(bound) - 1);
    const uint64_t number = uint64_t{1} << doublings % 10;
    return doublings < 10 ? fmt::format("{}", number) : fmt::format("{}{}", number, suffixes[doublings / 10]);
}

std::string unit_text(uint64_t bound) {
    const DurationUnit& unit = unit_of(bound);
    return fmt::format("{}{}", bound / unit.nanoseconds, unit.name);
}

std::string bound_text(uint64_t bound, View view, bool plain) {
    switch (view) {
        case View::duration:
            return plain ? fmt::format("{}", bound) : unit_text(bound);
        case View::plain:
        case View::hex:
        case View::boolean:
        case View::enumeration:
            return power_text(bound);
    }
    return {};
}

std::string zero_text(View view, bool plain) { return view == View::duration && !plain ? "0ns" : "0"; }

// Buckets printed as one row.
struct Range {
    uint32_t begin;
    uint32_t end;
};

// How the buckets of a histogram are labelled and joined.
struct Form {
    View view;
    bool plain;
    Bounds bounds;
    // Of the buckets that are joined. With upper bounds, that of 1 stays alone, so that the others begin at units.
    uint32_t first() const { return bounds == Bounds::upper ? first_bound + 1 : first_bound; }
    std::string bound(uint32_t index) const { return bound_text(hist_bound(index, view), view, plain); }
};

Range range_of(uint32_t bucket, uint32_t per_row, uint32_t first) {
    if (bucket < first) return {bucket, bucket + 1};
    const uint32_t begin = bucket - (bucket - first) % per_row;
    return {begin, std::min(begin + per_row, hist_buckets)};
}

std::string label(Range range, const Form& form) {
    const std::string zero = zero_text(form.view, form.plain);
    if (range.begin == negative_bucket) return fmt::format("(..., {})", zero);
    if (range.begin == zero_bucket) return fmt::format("[{}]", zero);
    if (range.end == first_bound + 1) return fmt::format("[{}]", form.bound(range.begin));
    if (form.bounds == Bounds::upper) {
        const std::string above = form.bound(range.begin - 1);
        if (range.end == hist_buckets) return fmt::format("({}, ...)", above);
        return fmt::format("({}, {}]", above, form.bound(range.end - 1));
    }
    if (range.end == hist_buckets) return fmt::format("[{}, ...)", form.bound(range.begin));
    return fmt::format("[{}, {})", form.bound(range.begin), form.bound(range.end));
}

// `begin` and `end` are the first bucket to print and the one after the last.
uint32_t buckets_per_row(uint32_t begin, uint32_t end, uint32_t first, size_t most) {
    if (begin <= first_bound && first > first_bound) most--;  // the row of 1
    begin = std::max(begin, first);
    if (end <= begin) return 1;
    for (uint32_t n : {1U, 2U, 5U}) {
        if ((end - 1 - first) / n - (begin - first) / n < most) return n;
    }
    return doublings_per_unit;
}

// In single precision, as bpftrace computes it, so that both draw the same bar.
size_t bar_length(uint64_t count, uint64_t most) {
    return static_cast<size_t>(static_cast<float>(count) / static_cast<float>(most) * static_cast<float>(bar_width));
}

std::vector<Bar> rows_of(const Histogram& histogram, const Form& form, size_t most) {
    const auto& buckets = histogram.buckets;
    const auto filled = [](uint64_t count) { return count != 0; };
    const auto first = std::ranges::find_if(buckets, filled);
    const auto last = std::find_if(buckets.rbegin(), buckets.rend(), filled).base();
    const auto end = static_cast<uint32_t>(last - buckets.begin());
    auto bucket = static_cast<uint32_t>(first - buckets.begin());
    const uint32_t per_row = buckets_per_row(bucket, end, form.first(), most);
    std::vector<Bar> rows;
    while (bucket < end) {
        const Range range = range_of(bucket, per_row, form.first());
        const uint64_t count = std::accumulate(buckets.begin() + range.begin, buckets.begin() + range.end, uint64_t{0});
        rows.push_back({label(range, form), count});
        bucket = range.end;
    }
    return rows;
}

// 100, 1K, 5M: with a suffix if that is exact
std::string exact_text(int64_t bound) {
    constexpr std::string_view suffixes = " KMGTPE";
    size_t suffix = 0;
    while (bound != 0 && bound % 1024 == 0 && suffix + 1 < suffixes.size()) bound /= 1024, suffix++;
    return suffix == 0 ? fmt::format("{}", bound) : fmt::format("{}{}", bound, suffixes[suffix]);
}

std::string linear_label(size_t bucket, const Type& type, bool plain) {
    const std::vector<int64_t>& b = type.shape->buckets;
    const bool units = type.view == View::duration && !plain;
    const auto text = [&](int64_t bound) { return units ? show_duration(bound) : exact_text(bound); };
    if (bucket == 0) return fmt::format("(..., {})", text(b[0]));
    const int64_t from = b[0] + static_cast<int64_t>(bucket - 1) * b[2];
    if (bucket + 1 == bucket_count(type)) return fmt::format("[{}, ...)", text(from));
    return fmt::format("[{}, {})", text(from), text(from + b[2]));
}

std::string fine_label(size_t bucket, const Type& type) {
    const int64_t bits = type.shape->buckets[0];
    if (bucket == negative_bucket) return "(..., 0)";
    if (bucket == zero_bucket) return "[0]";
    const std::string from = exact_text(fine_bound(bucket, bits));
    if (bucket + 1 == bucket_count(type)) return fmt::format("[{}, ...)", from);
    const int64_t begin = fine_bound(bucket, bits), end = fine_bound(bucket + 1, bits);
    return end == begin + 1 ? fmt::format("[{}]", from) : fmt::format("[{}, {})", from, exact_text(end));
}

}  // namespace

// The same bucket as in stdlib/bpf/aggregate.bpf.c.
int64_t fine_bound(size_t bucket, int64_t bits) {
    const auto n = static_cast<int64_t>(bucket) - 1;
    const int64_t doublings = std::max<int64_t>((n >> bits) - 1, 0);
    return (n - (doublings << bits)) << doublings;
}

uint32_t bucket_count(const Type& type) {
    if (!type.shape) return hist_buckets;
    const std::vector<int64_t>& b = type.shape->buckets;
    if (type.aggregation == Aggregation::lhist) return static_cast<uint32_t>((b[1] - b[0] + b[2] - 1) / b[2]) + 2;
    return static_cast<uint32_t>(((64 - b[0]) << b[0]) + 1);
}

uint64_t hist_bound(uint32_t index, View view) {
    const uint32_t doublings = std::clamp(index, first_bound, hist_buckets) - first_bound;
    switch (view) {
        case View::duration:
            return duration_bound(doublings);
        case View::plain:
        case View::hex:
        case View::boolean:
        case View::enumeration:
            return plain_bound(doublings);
    }
    return 0;
}

uint64_t total(const Histogram& histogram) {
    return std::accumulate(histogram.buckets.begin(), histogram.buckets.end(), uint64_t{0});
}

uint32_t hist_index(int64_t value, View view) {
    if (value < 0) return negative_bucket;
    if (value == 0) return zero_bucket;
    const auto number = static_cast<uint64_t>(value);
    const auto doublings = static_cast<uint32_t>(std::bit_width(number) - 1);
    const uint32_t index = first_bound + doublings;
    // The bounds of durations are after the powers of two, by less than one bucket.
    return number >= hist_bound(index + 1, view) ? index + 1 : index;
}

uint32_t bar_index(int64_t value, View view) {
    if (value <= 1) return hist_index(value, view);
    return std::min(hist_index(value - 1, view) + 1, hist_buckets - 1);
}

std::vector<Bar> bars_of(const Histogram& histogram, View view, bool plain, size_t most, Bounds bounds) {
    return rows_of(histogram, {view, plain, bounds}, most);
}

std::vector<Bar> bars_of(const Histogram& histogram, const Type& type, bool plain) {
    if (!type.shape) return bars_of(histogram, type.view, plain);
    std::vector<Bar> bars;
    const auto& buckets = histogram.buckets;
    const auto filled = [](uint64_t count) { return count != 0; };
    const auto first = std::ranges::find_if(buckets, filled);
    const auto end = std::find_if(buckets.rbegin(), buckets.rend(), filled).base();
    const bool linear = type.aggregation == Aggregation::lhist;
    for (auto at = first; at < end; at++) {
        const auto bucket = static_cast<size_t>(at - buckets.begin());
        bars.push_back({linear ? linear_label(bucket, type, plain) : fine_label(bucket, type), *at});
    }
    return bars;
}

void append_bars(std::string& out, const std::vector<Bar>& bars) {
    uint64_t fullest = 0;
    size_t width = label_width;
    for (const Bar& bar : bars) {
        fullest = std::max(fullest, bar.count);
        width = std::max(width, bar.label.size());
    }
    for (const Bar& bar : bars) {
        const std::string line(bar_length(bar.count, fullest), '@');
        out += fmt::format("{:<{}}{:>8} |{:<{}}|\n", bar.label, width, bar.count, line, bar_width);
    }
}

}  // namespace lt
