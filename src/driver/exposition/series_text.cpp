#include "driver/exposition/series_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/visible.h"
#include "driver/exposition/formats.h"

namespace lt {
namespace {

constexpr size_t most_characters = 128;  // in names and values of an exemplar's labels: OpenMetrics and Prometheus

size_t characters_in(std::string_view utf8) {
    const auto begins_one = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
    return static_cast<size_t>(std::ranges::count_if(utf8, begins_one));
}

struct SeriesWriter {
    std::string& out;
    const Family& family;
    const MetricSeries& series;
    const TextForm& form;

    void line(std::string_view suffix, const std::string& labels, const std::string& value) const {
        out += fmt::format("{}{}{} {}\n", family.name, suffix, labels, value);
    }
    void bucket(const HistogramPoint& point, size_t index, const std::string& bound, uint64_t count) const {
        std::string value = fmt::format("{}", count);
        if (form.exemplars && point.exemplar && exemplar_bucket(family, *point.exemplar) == index)
            value += fmt::format(" # {} {} {:.3f}", labels_text(exemplar_labels(*point.exemplar)),
                                 number_text(point.exemplar->value, family),
                                 static_cast<double>(point.exemplar->unix_ns) / 1e9);
        line("_bucket", labels_text(series.labels, bound), value);
    }
    std::string_view suffix() const { return family.type == MetricType::counter ? "_total" : ""; }

    void operator()(int64_t number) const { line(suffix(), labels_text(series.labels), number_text(number, family)); }
    void operator()(double number) const { line(suffix(), labels_text(series.labels), number_text(number)); }
    void operator()(const SummaryPoint& point) const {
        if (form.sums_negative || !family.sum_falls)
            line("_sum", labels_text(series.labels), number_text(point.sum, family));
        line("_count", labels_text(series.labels), fmt::format("{}", point.count));
    }
    void operator()(const HistogramPoint& point) const {
        uint64_t below = 0;
        const size_t bounds = std::min(family.bounds.size(), point.counts.size());
        for (size_t i = 0; i < bounds; i++) {
            below += point.counts[i];
            bucket(point, i, form.bound(family.bounds[i]), below);
        }
        const uint64_t all = std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0});
        bucket(point, bounds, "+Inf", all);
        const bool has_negative = !family.bounds.empty() && family.bounds.front() < 0;
        const bool has_sum = point.sum && (form.sums_negative || !has_negative);
        if (has_sum) line("_sum", labels_text(series.labels), number_text(*point.sum, family));
        if (has_sum || form.sums_negative) line("_count", labels_text(series.labels), fmt::format("{}", all));
    }
};

}  // namespace

size_t exemplar_bucket(const Family& family, const Exemplar& exemplar) {
    const auto at = std::ranges::lower_bound(family.bounds, scaled(exemplar.value, family));
    return static_cast<size_t>(at - family.bounds.begin());
}

Labels exemplar_labels(const Exemplar& exemplar) {
    Labels ids, out;
    if (!exemplar.trace_id.empty()) ids.push_back({"trace_id", exemplar.trace_id});
    if (!exemplar.span_id.empty()) ids.push_back({"span_id", exemplar.span_id});
    size_t room = most_characters;
    const auto take = [&](const Label& label) {
        room -= std::min(room, characters_in(label.name) + characters_in(label.value));
    };
    std::ranges::for_each(ids, take);
    for (const Label& label : exemplar.labels) {
        const size_t name = characters_in(label.name);
        if (name >= room) continue;
        out.push_back({label.name, shortened(label.value, room - name)});
        take(out.back());
    }
    out.insert(out.end(), ids.begin(), ids.end());
    return out;
}

void append_series(std::string& out, const Family& family, const MetricSeries& series, const TextForm& form) {
    std::visit(SeriesWriter{out, family, series, form}, series.point);
}

}  // namespace lt
