// OpenMetrics 1.0.0. It differs from Prometheus's text format in the names of counters' families, in units, in the form
// of the bounds of histograms, in having exemplars, and in that a sum stands only where it can be a counter, and the
// count of a histogram only beside a sum.
#include <fmt/format.h>

#include "driver/exposition/formats.h"
#include "driver/exposition/series_text.h"

namespace lt {
namespace {

// "1.0": the bounds of a histogram are always written as floating-point numbers.
std::string bound_number(double bound) {
    std::string out = number_text(bound);
    return out.find_first_not_of("-0123456789") == out.npos ? out + ".0" : out;
}

constexpr TextForm open_form{bound_number, false, true};

}  // namespace

std::string openmetrics_text(const std::vector<Family>& families) {
    std::string out;
    for (const Family& family : families) {
        if (family.series.empty()) continue;
        out += fmt::format("# TYPE {} {}\n", family.name, type_name(family.type));
        if (!family.unit.empty()) out += fmt::format("# UNIT {} {}\n", family.name, family.unit);
        out += fmt::format("# HELP {} {}\n", family.name, escaped(family.help, true));
        for (const MetricSeries& series : family.series) append_series(out, family, series, open_form);
    }
    return out + "# EOF\n";
}

}  // namespace lt
