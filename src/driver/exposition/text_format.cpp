// Prometheus's text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
#include <fmt/format.h>

#include <numeric>

#include "driver/exposition/formats.h"

namespace lt {
namespace {

struct PlainWriter {
    std::string& out;
    const Family& family;
    const MetricSeries& series;

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
            line("_bucket", labels_text(series.labels, number_text(family.bounds[i])), fmt::format("{}", below));
        }
        const uint64_t all = std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0});
        line("_bucket", labels_text(series.labels, "+Inf"), fmt::format("{}", all));
        if (point.sum) line("_sum", labels_text(series.labels), number_text(*point.sum, family));
        line("_count", labels_text(series.labels), fmt::format("{}", all));
    }
};

}  // namespace

std::string prometheus_text(const std::vector<Family>& families) {
    std::string out;
    for (const Family& family : families) {
        if (family.series.empty()) continue;
        const std::string name = family.name + (family.type == MetricType::counter ? "_total" : "");
        out += fmt::format("# HELP {} {}\n", name, escaped(family.help, false));
        out += fmt::format("# TYPE {} {}\n", name, type_name(family.type));
        for (const MetricSeries& series : family.series) std::visit(PlainWriter{out, family, series}, series.point);
    }
    return out;
}

}  // namespace lt
