#include "codegen/typed/samples.h"

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "runtime/border/layouts/samples.h"

namespace lt {
namespace {

struct StatisticRow {
    Function id;
    int64_t parts;
    bool extremes;  // only if the value has the least and the greatest
    bool samples;   // only samples()
};
constexpr std::array sample_parts{
    StatisticRow{Function::count_of, 0, false, false},
    StatisticRow{Function::sum_of, 0, false, false},
    StatisticRow{Function::avg_of, 0, false, false},
    StatisticRow{Function::min_of, samples_extremes, true, false},
    StatisticRow{Function::max_of, samples_extremes, true, false},
    StatisticRow{Function::variance_of, samples_squares, false, true},
    StatisticRow{Function::hist_log, samples_log, false, true},
    StatisticRow{Function::hist_linear, samples_linear, false, true},
};

const StatisticRow* statistic_row(Function f) { return find_row(sample_parts, f, &StatisticRow::id); }

}  // namespace

bool is_statistic(Function f) { return statistic_row(f) != nullptr; }

int64_t statistic_parts(Function f) {
    const StatisticRow* row = statistic_row(f);
    return row ? row->parts : 0;
}

std::optional<StatisticWords> statistic_words(Aggregation a, Function asked) {
    const StatisticRow* row = statistic_row(asked);
    if (!row || (row->samples && a != Aggregation::samples)) return std::nullopt;
    if (a == Aggregation::samples || a == Aggregation::dist) return StatisticWords{0, 1, 2, 3};
    const bool has_sum = a == Aggregation::avg || a == Aggregation::stats;
    return has_sum && !row->extremes ? std::optional(StatisticWords{1, 0, 0, 0}) : std::nullopt;
}

}  // namespace lt
