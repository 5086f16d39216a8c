#include "driver/metrics/map_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/visible.h"
#include "driver/metrics/distribution.h"
#include "driver/metrics/names.h"
#include "driver/metrics/series.h"
#include "runtime/print/printer.h"
#include "runtime/values/buckets.h"

namespace lt::agent {
namespace {

constexpr std::string_view private_hint =
    "if the script needs the map only for itself, begin its name with an underscore, as in `@_start`";

bool has_kind(const Type& type, Kind kind) {
    return type.kind == kind || (type.kind == Kind::tuple && std::ranges::any_of(type.shape->parts, [&](const Type& t) {
                                     return has_kind(t, kind);
                                 }));
}

bool is_number(const Type& type) {
    return type.kind == Kind::integer && type.naming == Naming::none && type.view != View::hex;
}

MetricType type_of(const PlannedMap& map) {
    switch (map.value.aggregation) {
        case Aggregation::count:
        case Aggregation::why:
            return map.shrinks ? MetricType::gauge : MetricType::counter;
        case Aggregation::sum:
            return map.shrinks || (map.value.is_signed && map.value.view != View::duration) ? MetricType::gauge
                                                                                            : MetricType::counter;
        case Aggregation::avg:
        case Aggregation::stats:
        case Aggregation::samples:
            return MetricType::summary;
        case Aggregation::hist:
        case Aggregation::lhist:
        case Aggregation::dist:
            return MetricType::histogram;
        case Aggregation::none:
        case Aggregation::min:
        case Aggregation::max:
        case Aggregation::tseries:
            return MetricType::gauge;
    }
    return MetricType::gauge;
}

// ---- hist() and lhist()

constexpr unsigned first_doubling = 8, last_doubling = 36;  // of durations: 256 ns to 64 s
constexpr unsigned last_number_doubling = 40;

// The upper bounds that are exposed, as the greatest integer below each: all of lhist(); of hist() the doublings in the
// usual range, so that every run and host has the same.
std::vector<int64_t> exposed_bounds(const Type& type) {
    std::vector<int64_t> out;
    const bool is_linear = type.aggregation == Aggregation::lhist;
    if (!is_linear && type.view != View::duration) out = {-1, 0};
    if (!is_linear && type.view != View::duration && !type.is_signed) out = {0};
    if (!is_linear) {
        const bool is_time = type.view == View::duration;
        for (unsigned d = is_time ? first_doubling : 1; d <= (is_time ? last_doubling : last_number_doubling); d++)
            out.push_back(static_cast<int64_t>(hist_bound(d + 2, type.view)) - 1);
        return out;
    }
    for (size_t i = 0; i < bucket_count(type); i++)
        if (const auto greatest = bucket_range(type, i).greatest) out.push_back(*greatest);
    return out;
}

std::vector<double> bounds_of(const Type& type, int64_t divisor) {
    if (type.aggregation == Aggregation::dist) return distribution_bounds(type, divisor);
    std::vector<double> out;
    // a clock that shows t nanoseconds has been running for t to t + 1
    const int64_t more = type.view == View::duration ? 1 : 0;
    for (const int64_t last : exposed_bounds(type))
        out.push_back(static_cast<double>(last + more) / static_cast<double>(divisor));
    return out;
}

HistogramPoint exposed_histogram(const Histogram& histogram, const Type& type) {
    const std::vector<int64_t> bounds = exposed_bounds(type);
    HistogramPoint out;
    out.counts.resize(bounds.size() + 1);
    for (size_t i = 0; i < histogram.buckets.size(); i++) {
        const BucketRange range = bucket_range(type, i);
        const auto at = range.greatest ? std::ranges::lower_bound(bounds, *range.greatest) : bounds.end();
        out.counts[static_cast<size_t>(at - bounds.begin())] += histogram.buckets[i];
    }
    return out;
}

// ---- entries

constexpr std::string_view cause_label = "cause";

// The series of one entry: several for why(), one for each cause, none for what has no value yet.
struct EntryReader {
    const MapMetric& metric;
    Labels labels;
    std::vector<MetricSeries>& out;

    void add(Point point) { out.push_back({std::move(labels), std::move(point)}); }
    void operator()(int64_t number) { add(number); }
    void operator()(const Extreme& extreme) {
        if (extreme.seen) add(extreme.value);
    }
    void operator()(const Average& average) { add(SummaryPoint{average.sum, average.count}); }
    void operator()(const Samples& samples) { add(SummaryPoint{samples.sum, samples.count}); }
    void operator()(const Histogram& histogram) { add(exposed_histogram(histogram, metric.value)); }
    void operator()(const Distribution& distribution) {
        add(exposed_distribution(distribution, metric.value, metric.family.divisor));
    }
    void operator()(const Causes& causes) {
        for (const CauseRow& row : cause_rows()) {
            const int64_t time = causes.times[static_cast<size_t>(row.id)];
            if (time == 0) continue;
            Labels all = labels;
            all.push_back({std::string(cause_label), std::string(row.name)});
            out.push_back({std::move(all), time});
        }
    }
    void operator()(const auto&) {}  // why_not_metric() refuses the others
};

// A tuple or a record, which is a key of several parts although it is one value.
bool has_parts(const Type& key) { return key.kind == Kind::tuple && key.naming == Naming::none; }

const std::vector<Value>& labelled_parts(const std::vector<Value>& key) {
    const bool is_one = key.size() == 1 && has_parts(key.front().type);
    const auto* group = is_one ? std::get_if<Group>(&key.front().data) : nullptr;
    return group ? group->parts : key;
}

// Of two keys that read the same.
Join join_of(Aggregation aggregation) {
    switch (aggregation) {
        case Aggregation::none:
            return Join::last;
        case Aggregation::min:
            return Join::smaller;
        case Aggregation::max:
            return Join::greater;
        default:
            return Join::add;
    }
}

}  // namespace

std::optional<Error> why_not_metric(const PlannedMap& map) {
    const auto no = [&](std::string_view why, std::string_view hint) {
        return Error{fmt::format("{} cannot be a metric: {}", map.name, why), std::string(hint), 0};
    };
    if (std::ranges::any_of(map.key, [](const Type& t) { return has_kind(t, Kind::stack); }))
        return no("its keys are stacks, and each of them would be a series",
                  "use `lt --folded` or `lt --flame` for stacks, or `func` as the key");
    for (const Kind kind : {Kind::structure, Kind::array, Kind::buffer})
        if (std::ranges::any_of(map.key, [&](const Type& t) { return has_kind(t, kind); }))
            return no(fmt::format("its keys are not numbers or strings but `{}`", type_text(map.key.front())),
                      private_hint);
    if (map.value.kind != Kind::aggregation && !is_number(map.value))
        return no(fmt::format("its values are not numbers but {}",
                              map.value.naming != Naming::none ? "names" : type_name(map.value)),
                  private_hint);
    if (map.value.aggregation == Aggregation::tseries)
        return no("it is a series over time, which the server that reads the metrics makes itself",
                  "use `count()`, `sum()` or `max()`");
    const MetricType type = type_of(map);
    if (map.shrinks && (type == MetricType::histogram || type == MetricType::summary))
        return no("the script clears it or deletes keys, and what came since the last time it was read would be lost",
                  "remove `clear()`, `zero()` and `delete()`: metrics only grow");
    return {};
}

MapMetric map_metric(const PlannedMap& map, size_t index, std::string_view script, const ast::Program& program,
                     const Source& source) {
    MapMetric out{index, map.name, map.value, {}, {}};
    const MetricName name = metric_name(script, map.name, map.value);
    out.family.name = name.name;
    out.family.unit = name.unit;
    out.family.divisor = name.divisor;
    out.family.type = type_of(map);
    out.family.is_unsigned = !map.value.is_signed;
    out.family.sum_falls =
        out.family.type == MetricType::summary && map.value.is_signed && map.value.view != View::duration;
    out.family.help = utf8_text(help_of(source, map.name));
    if (out.family.help.empty())
        out.family.help = utf8_text(fmt::format("{} of the script {}.", map.name, source.name));
    if (out.family.type == MetricType::histogram) out.family.bounds = bounds_of(map.value, name.divisor);
    const bool is_tuple = map.key.size() == 1 && has_parts(map.key[0]);
    const std::vector<std::string> names = is_tuple ? map.key[0].shape->names : std::vector<std::string>{};
    const std::string_view own = map.value.aggregation == Aggregation::why ? cause_label : std::string_view();
    const size_t count = is_tuple ? map.key[0].shape->parts.size() : map.key.size();
    out.labels = label_names(program, map.name, count, names, own);
    out.adds_up = out.family.type != MetricType::gauge;
    return out;
}

Labels labels_of(const MapMetric& metric, const std::vector<Value>& key) {
    Labels out;
    const std::vector<Value>& parts = labelled_parts(key);
    for (size_t i = 0; i < parts.size() && i < metric.labels.size(); i++)
        out.push_back({metric.labels[i], utf8_text(show(parts[i], ValueStyle(false)))});
    return out;
}

std::vector<MetricSeries> series_of(const MapMetric& metric, const MapContent& content) {
    std::vector<MetricSeries> out;
    for (size_t i = 0; i < content.entries.size(); i++) {
        const MapEntry entry = content.entries[i];
        std::visit(EntryReader{metric, labels_of(metric, entry.key), out}, entry.value.data);
    }
    join_equal(out, join_of(metric.value.aggregation), metric.family.is_unsigned);
    return out;
}

}  // namespace lt::agent
