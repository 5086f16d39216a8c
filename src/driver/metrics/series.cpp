#include "driver/metrics/series.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lt::agent {
namespace {

void add_buckets(std::map<int32_t, uint64_t>& into, const std::map<int32_t, uint64_t>& more) {
    for (const auto& [index, count] : more) into[index] += count;
}

void add_exponential(std::optional<NativeBuckets>& into, const std::optional<NativeBuckets>& more) {
    if (!into || !more || into->schema != more->schema) return;
    into->zero += more->zero;
    add_buckets(into->positive, more->positive);
    add_buckets(into->negative, more->negative);
}

struct PointAdder {
    bool operator()(int64_t& into, int64_t more) const {
        into = static_cast<int64_t>(static_cast<uint64_t>(into) + static_cast<uint64_t>(more));
        return true;
    }
    bool operator()(double& into, double more) const { return into += more, true; }
    bool operator()(SummaryPoint& into, const SummaryPoint& more) const {
        into.count += more.count;
        return (*this)(into.sum, more.sum);
    }
    bool operator()(HistogramPoint& into, const HistogramPoint& more) const {
        if (into.counts.size() != more.counts.size()) return false;
        for (size_t i = 0; i < into.counts.size(); i++) into.counts[i] += more.counts[i];
        if (into.sum && more.sum) (*this)(*into.sum, *more.sum);
        add_exponential(into.native, more.native);
        add_exponential(into.exact, more.exact);
        if (!into.exemplar || (more.exemplar && more.exemplar->unix_ns > into.exemplar->unix_ns))
            into.exemplar = more.exemplar;
        return true;
    }
    bool operator()(auto&, const auto&) const { return false; }
};

struct PointWeight {
    bool is_unsigned;
    double operator()(int64_t number) const {
        return is_unsigned ? static_cast<double>(static_cast<uint64_t>(number)) : static_cast<double>(number);
    }
    double operator()(double number) const { return number; }
    double operator()(const SummaryPoint& point) const { return static_cast<double>(point.count); }
    double operator()(const HistogramPoint& point) const {
        return static_cast<double>(std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0}));
    }
};

bool have_same_names(const Labels& a, const Labels& b) {
    const auto name = [](const Label& label) { return label.name; };
    return std::ranges::equal(a, b, {}, name, name);
}

bool is_overflow(const Labels& labels) { return labels.size() == 1 && labels[0].name == "lt_overflow"; }

// The labels that are the same in all series of the family; none without series.
std::optional<Labels> any_labels(const Family& family) {
    const auto found =
        std::ranges::find_if(family.series, [](const MetricSeries& s) { return !is_overflow(s.labels); });
    return found == family.series.end() ? std::nullopt : std::optional(found->labels);
}

// Calls `both` with the points of a series that is in both families; those that are only in `from` are appended.
void join_series(Family& into, const Family& from, auto&& both) {
    std::unordered_map<Labels, const MetricSeries*, LabelsHash> others;
    for (const MetricSeries& series : from.series) others[series.labels] = &series;
    for (MetricSeries& series : into.series) {
        const auto same = others.find(series.labels);
        if (same == others.end()) continue;
        both(series.point, same->second->point);
        others.erase(same);
    }
    for (const MetricSeries& series : from.series)
        if (others.contains(series.labels)) into.series.push_back(series);
}

}  // namespace

size_t LabelsHash::operator()(const Labels& labels) const {
    const std::hash<std::string_view> hash;
    size_t out = 0;
    for (const Label& label : labels) out = (out * 31 + hash(label.name)) * 31 + hash(label.value);
    return out;
}

bool add_point(Point& into, const Point& more) { return std::visit(PointAdder{}, into, more); }

double weight_of(const Point& point, bool is_unsigned) { return std::visit(PointWeight{is_unsigned}, point); }

void join_equal(std::vector<MetricSeries>& series, Join how, bool is_unsigned) {
    std::unordered_map<Labels, size_t, LabelsHash> places;
    size_t used = 0;
    for (MetricSeries& each : series) {
        const auto [place, is_new] = places.try_emplace(each.labels, used);
        if (is_new) {
            if (MetricSeries& to = series[used++]; &to != &each) to = std::move(each);
            continue;
        }
        Point& into = series[place->second].point;
        const double difference = weight_of(each.point, is_unsigned) - weight_of(into, is_unsigned);
        if (how == Join::add)
            add_point(into, each.point);
        else if (how == Join::last || (how == Join::greater ? difference > 0 : difference < 0))
            into = std::move(each.point);
    }
    series.resize(used);
}

void add_family(Family& into, const Family& ended) {
    if (into.type != ended.type || into.divisor != ended.divisor || into.bounds != ended.bounds) return;
    if (into.is_unsigned != ended.is_unsigned) return;
    const std::optional<Labels> mine = any_labels(into), other = any_labels(ended);
    if (mine && other && !have_same_names(*mine, *other)) return;
    join_series(into, ended, [](Point& point, const Point& more) { add_point(point, more); });
}

void keep_greater(Family& now, const Family& before) {
    join_series(now, before, [&](Point& point, const Point& other) {
        if (weight_of(point, now.is_unsigned) < weight_of(other, now.is_unsigned)) point = other;
    });
}

void SeriesLimit::apply(Family& family, bool adds_up) {
    std::vector<MetricSeries>& series = family.series;
    const auto is_shown = [&](const MetricSeries& each) { return shown_.contains(each.labels); };
    auto end = std::partition(series.begin(), series.end(), is_shown);
    const auto shown = static_cast<size_t>(end - series.begin());
    const size_t room = most_ - std::min(most_, shown);
    if (const auto rest = static_cast<size_t>(series.end() - end); room > 0 && rest > room) {
        const auto greater = [&](const MetricSeries& a, const MetricSeries& b) {
            const double left = weight_of(a.point, family.is_unsigned), right = weight_of(b.point, family.is_unsigned);
            return left != right ? left > right : a.labels < b.labels;
        };
        std::sort(end, series.end(), greater);
    }
    end += static_cast<ptrdiff_t>(std::min(room, static_cast<size_t>(series.end() - end)));
    over_ = static_cast<size_t>(
        std::count_if(end, series.end(), [](const MetricSeries& each) { return !is_overflow(each.labels); }));
    std::optional<MetricSeries> sum;
    for (auto each = end; each != series.end(); each++) {
        if (!sum)
            sum = MetricSeries{{{"lt_overflow", "true"}}, each->point};
        else
            add_point(sum->point, each->point);
    }
    series.erase(end, series.end());
    if (series.size() != shown || shown_.size() != shown) {
        shown_.clear();
        for (const MetricSeries& each : series) shown_.insert(each.labels);
    }
    if (sum && adds_up) series.push_back(*std::move(sum));
    std::ranges::sort(series, {}, &MetricSeries::labels);
}

}  // namespace lt::agent
