#include "driver/exposition/series_text.h"

#include <fmt/format.h>

#include <numeric>

#include "driver/exposition/formats.h"

namespace lt {
namespace {

struct SeriesWriter {
    std::string& out;
    const Family& family;
    const MetricSeries& series;
    const TextForm& form;

    void line(std::string_view suffix, const std::string& labels, const std::string& value) const {
        out += fmt::format("{}{}{} {}\n", family.name, suffix, labels, value);
    }
    std::string_view suffix() const { return family.type == MetricType::counter ? "_total" : ""; }

    void operator()(int64_t number) const { line(suffix(), labels_text(series.labels), number_text(number, family)); }
    void operator()(double number) const { line(suffix(), labels_text(series.labels), number_text(number)); }
    void operator()(const SummaryPoint& point) const {
        line("_sum", labels_text(series.labels), number_text(point.sum, family));
        line("_count", labels_text(series.labels), fmt::format("{}", point.count));
    }
    void operator()(const HistogramPoint& point) const {
        uint64_t below = 0;
        for (size_t i = 0; i < family.bounds.size() && i < point.counts.size(); i++) {
            below += point.counts[i];
            line("_bucket", labels_text(series.labels, form.bound(family.bounds[i])), fmt::format("{}", below));
        }
        const uint64_t all = std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0});
        line("_bucket", labels_text(series.labels, "+Inf"), fmt::format("{}", all));
        const bool has_negative = !family.bounds.empty() && family.bounds.front() < 0;
        const bool has_sum = point.sum && (form.sums_negative || !has_negative);
        if (has_sum) line("_sum", labels_text(series.labels), number_text(*point.sum, family));
        if (has_sum || form.sums_negative) line("_count", labels_text(series.labels), fmt::format("{}", all));
    }
};

}  // namespace

void append_series(std::string& out, const Family& family, const MetricSeries& series, const TextForm& form) {
    std::visit(SeriesWriter{out, family, series, form}, series.point);
}

}  // namespace lt
