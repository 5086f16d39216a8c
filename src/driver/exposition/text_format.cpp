// Prometheus's text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
#include <fmt/format.h>

#include "driver/exposition/formats.h"
#include "driver/exposition/series_text.h"

namespace lt {
namespace {

constexpr TextForm plain_form{number_text, true, false};

}  // namespace

std::string prometheus_text(const std::vector<Family>& families) {
    std::string out;
    for (const Family& family : families) {
        if (family.series.empty()) continue;
        const std::string name = family.name + (family.type == MetricType::counter ? "_total" : "");
        out += fmt::format("# HELP {} {}\n", name, escaped(family.help, false));
        out += fmt::format("# TYPE {} {}\n", name, type_name(family.type));
        for (const MetricSeries& series : family.series) append_series(out, family, series, plain_form);
    }
    return out;
}

}  // namespace lt
