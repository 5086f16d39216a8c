// OpenMetrics 1.0.0. It differs from Prometheus's text format in the names of counters' families, in units, in the form
// of the bounds of histograms, and in that a sum stands only where it can be a counter, and the count only beside a
// sum.
#include <fmt/format.h>

#include <numeric>

#include "driver/exposition/formats.h"

namespace lt {
namespace {

// "1.0": the bounds of a histogram are always written as floating-point numbers.
std::string bound_number(double bound) {
    std::string out = number_text(bound);
    return out.find_first_not_of("-0123456789") == out.npos ? out + ".0" : out;
}

struct OpenWriter {
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
            line("_bucket", labels_text(series.labels, bound_number(family.bounds[i])), fmt::format("{}", below));
        }
        const uint64_t all = std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0});
        line("_bucket", labels_text(series.labels, "+Inf"), fmt::format("{}", all));
        const bool has_negative = !family.bounds.empty() && family.bounds.front() < 0;
        if (!point.sum || has_negative) return;
        line("_sum", labels_text(series.labels), number_text(*point.sum, family));
        line("_count", labels_text(series.labels), fmt::format("{}", all));
    }
};

}  // namespace

std::string openmetrics_text(const std::vector<Family>& families) {
    std::string out;
    for (const Family& family : families) {
        if (family.series.empty()) continue;
        out += fmt::format("# TYPE {} {}\n", family.name, type_name(family.type));
        if (!family.unit.empty()) out += fmt::format("# UNIT {} {}\n", family.name, family.unit);
        out += fmt::format("# HELP {} {}\n", family.name, escaped(family.help, true));
        for (const MetricSeries& series : family.series) std::visit(OpenWriter{out, family, series}, series.point);
    }
    return out + "# EOF\n";
}

}  // namespace lt
