// Bounds, labels and bars of histograms; rows look as bpftrace draws them, since eyes and scripts know that form.
#include "hist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "duration.h"

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

// 1, 512, 1K, 2M: of a power of two
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
            return power_text(bound);
    }
    return {};
}

std::string zero_text(View view, bool plain) { return view == View::duration && !plain ? "0ns" : "0"; }

std::string label(uint32_t bucket, View view, bool plain) {
    if (bucket == negative_bucket) return fmt::format("(..., {})", zero_text(view, plain));
    if (bucket == zero_bucket) return fmt::format("[{}]", zero_text(view, plain));
    const std::string from = bound_text(hist_bound(bucket, view), view, plain);
    if (bucket == first_bound) return fmt::format("[{}]", from);
    if (bucket + 1 == hist_buckets) return fmt::format("[{}, ...)", from);
    return fmt::format("[{}, {})", from, bound_text(hist_bound(bucket + 1, view), view, plain));
}

// In single precision, as bpftrace computes it, so that both draw the same bar.
size_t bar_length(uint64_t count, uint64_t most) {
    return static_cast<size_t>(static_cast<float>(count) / static_cast<float>(most) * static_cast<float>(bar_width));
}

struct Row {
    std::string label;
    uint64_t count;
};

std::vector<Row> rows_of(const Histogram& histogram, View view, bool plain) {
    const auto& buckets = histogram.buckets;
    const auto filled = [](uint64_t count) { return count != 0; };
    const auto first = std::find_if(buckets.begin(), buckets.end(), filled);
    const auto last = std::find_if(buckets.rbegin(), buckets.rend(), filled).base();
    std::vector<Row> rows;
    for (auto it = first; it < last; ++it) {
        rows.push_back({label(static_cast<uint32_t>(it - buckets.begin()), view, plain), *it});
    }
    return rows;
}

}  // namespace

uint64_t hist_bound(uint32_t index, View view) {
    const uint32_t doublings = std::clamp(index, first_bound, hist_buckets) - first_bound;
    switch (view) {
        case View::duration:
            return duration_bound(doublings);
        case View::plain:
        case View::hex:
        case View::boolean:
            return plain_bound(doublings);
    }
    return 0;
}

uint64_t total(const Histogram& histogram) {
    return std::accumulate(histogram.buckets.begin(), histogram.buckets.end(), uint64_t{0});
}

void append_histogram(std::string& out, const Histogram& histogram, View view, bool plain) {
    const std::vector<Row> rows = rows_of(histogram, view, plain);
    uint64_t most = 0;
    size_t width = label_width;
    for (const Row& row : rows) {
        most = std::max(most, row.count);
        width = std::max(width, row.label.size());
    }
    for (const Row& row : rows) {
        const std::string bar(bar_length(row.count, most), '@');
        fmt::format_to(std::back_inserter(out), "{:<{}}{:>8} |{:<{}}|\n", row.label, width, row.count, bar, bar_width);
    }
}

}  // namespace lt
