// Reads figures off a distribution, and shows them.
#include "runtime/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "distribution.h"
#include "hist.h"
#include "runtime/printer.h"
#include "show.h"

namespace lt {
namespace {

constexpr size_t most_rows = 20;
constexpr size_t column_width = 8;

struct Figure {
    std::string name;
    std::string text;
};

// All that are in the buckets; while a program counts, the field `count` may be ahead of them or behind.
uint64_t in_buckets(const Distribution& d) { return std::accumulate(d.buckets.begin(), d.buckets.end(), uint64_t{0}); }

// An update that lost its race can leave one value outside; then the extremes say nothing.
int64_t between_extremes(const Distribution& d, int64_t value) {
    return d.least <= d.greatest ? std::clamp(value, d.least, d.greatest) : value;
}

// What stands for all values of a bucket. That of the negative ones is only known to begin at the minimum.
int64_t value_of(const Distribution& d, uint32_t bucket) {
    if (bucket > 0) return between_extremes(d, static_cast<int64_t>(dist_bucket(bucket).middle()));
    return std::midpoint(d.least, std::min<int64_t>(d.greatest, -1));
}

// ceil(count * share / whole), and at least 1; without a product that could overflow.
uint64_t rank_of(uint64_t count, uint64_t share) {
    const uint64_t rest = count % whole_share * share;
    const uint64_t rank = count / whole_share * share + (rest + whole_share - 1) / whole_share;
    return std::max<uint64_t>(rank, 1);
}

std::string figure_text(std::optional<int64_t> value, View view, bool plain) {
    return value ? show({integer_type(8, true, view), *value}, plain) : std::string(nothing_text);
}

std::vector<Figure> figures(const Distribution& d, View view, bool plain) {
    const bool any = d.count != 0;
    const auto text = [&](int64_t value) {
        return figure_text(any ? std::optional(value) : std::nullopt, view, plain);
    };
    std::vector<Figure> out = {
        {"count", fmt::format("{}", d.count)}, {"min", text(d.least)}, {"avg", text(d.average())}};
    constexpr std::array<std::pair<const char*, uint64_t>, 4> shares = {
        {{"p50", 50'000'000}, {"p90", 90'000'000}, {"p99", 99'000'000}, {"p99.9", 99'900'000}}};
    for (const auto& [name, share] : shares) out.push_back({name, figure_text(percentile(d, share), view, plain)});
    out.push_back({"max", text(d.greatest)});
    return out;
}

void append_figures(std::string& out, const std::vector<Figure>& figures) {
    std::string values;
    for (const Figure& f : figures) {
        const size_t width = std::max(column_width, f.text.size());
        const std::string_view gap = values.empty() ? "" : " ";
        fmt::format_to(std::back_inserter(out), "{}{:>{}}", gap, f.name, width);
        fmt::format_to(std::back_inserter(values), "{}{:>{}}", gap, f.text, width);
    }
    out.append("\n").append(values).append("\n");
}

}  // namespace

void merge(Distribution& into, const Distribution& from) {
    into.count += from.count;
    into.sum = static_cast<int64_t>(static_cast<uint64_t>(into.sum) + static_cast<uint64_t>(from.sum));
    into.least = std::min(into.least, from.least);
    into.greatest = std::max(into.greatest, from.greatest);
    for (uint32_t i = 0; i < dist_buckets; i++) into.buckets[i] += from.buckets[i];
}

std::optional<int64_t> percentile(const Distribution& d, uint64_t share) {
    const uint64_t count = in_buckets(d);
    if (count == 0) return {};
    const uint64_t rank = rank_of(count, share);
    if (d.least <= d.greatest && rank == 1) return d.least;
    if (d.least <= d.greatest && rank >= count) return d.greatest;
    uint32_t bucket = 0;
    for (uint64_t seen = d.buckets[0]; seen < rank && bucket + 1 < dist_buckets; seen += d.buckets[bucket]) bucket++;
    return value_of(d, bucket);
}

Histogram histogram_of(const Distribution& d, View view) {
    Histogram out{std::vector<uint64_t>(hist_buckets)};
    out.buckets[hist_index(-1, view)] = d.buckets[0];
    for (uint32_t i = 1; i < dist_buckets; i++) {
        if (d.buckets[i] != 0) out.buckets[hist_index(value_of(d, i), view)] += d.buckets[i];
    }
    return out;
}

void append_distribution(std::string& out, const Distribution& d, View view, bool plain) {
    append_figures(out, figures(d, view, plain));
    append_histogram(out, histogram_of(d, view), view, plain, most_rows);
}

}  // namespace lt
