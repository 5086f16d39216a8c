// samples(), and queries about what it and other aggregations collect.
#include <array>

#include "stdlib/functions/tables.h"

namespace lt {
namespace {

constexpr Type number = integer_type();
constexpr Parameter collected{"@map", Want::collected};

// id, name, parameters, aggregation, result, sentence, example
constexpr std::array of_samples{
    FunctionRow{Function::samples,
                "samples",
                {Parameter{"value", Want::integer}},
                Aggregation::samples,
                nothing(),
                "Collects values for later queries: their number and sum, and whatever else the script asks for "
                "somewhere by count_of(), min_of(), hist_log() ...",
                "k:vfs_read { @x = samples(arg2); } END { printf(\"%d\\n\", max_of(@x)); }"},
    FunctionRow{
        Function::count_of,
        "count_of",
        {collected},
        Aggregation::none,
        integer_type(8, false),
        "The number of values that samples(), avg(), stats() or dist() has collected, in @map, @map[key] or $pair.1.",
        "k:vfs_read { @x[pid] = samples(arg2); } END { printf(\"%d\\n\", count_of(@x[1])); }"},
    FunctionRow{Function::sum_of,
                "sum_of",
                {collected},
                Aggregation::none,
                number,
                "Their sum.",
                "k:vfs_read { @x = stats(arg2); } interval:1s { printf(\"%d\\n\", sum_of(@x)); }"},
    FunctionRow{Function::min_of,
                "min_of",
                {collected},
                Aggregation::none,
                number,
                "The smallest of them; 0 if there is none.",
                "k:vfs_read { @x = samples(arg2); } END { printf(\"%d\\n\", min_of(@x)); }"},
    FunctionRow{Function::max_of,
                "max_of",
                {collected},
                Aggregation::none,
                number,
                "The largest of them; 0 if there is none.",
                "k:vfs_read { @x = dist(arg2); } END { printf(\"%d\\n\", max_of(@x)); }"},
    FunctionRow{Function::avg_of,
                "avg_of",
                {collected},
                Aggregation::none,
                number,
                "Their average, truncated to an integer; 0 if there is none.",
                "k:vfs_read { @x = samples(arg2); } END { printf(\"%d\\n\", avg_of(@x)); }"},
    FunctionRow{Function::variance_of,
                "variance_of",
                {collected},
                Aggregation::none,
                number,
                "The sample variance of what samples() has collected; 0 for fewer than two values, and at most 2^63 - "
                "1. Only where lt runs the block: BEGIN, END, interval and self probes.",
                "k:vfs_read { @x = samples(arg2); } END { printf(\"%d\\n\", variance_of(@x)); }"},
    FunctionRow{
        Function::hist_log,
        "hist_log",
        {collected},
        Aggregation::none,
        nothing(),
        "A histogram of what samples() has collected, for print(): 128 buckets that double, 64 of them for "
        "negative values; hist_log(@x)[64 + n] is the number of values with n bits. Only where lt runs the block.",
        "k:vfs_read { @x = samples(arg2); } END { print(hist_log(@x)); }"},
    FunctionRow{Function::hist_linear,
                "hist_linear",
                {collected, Parameter{"least", Want::integer}, Parameter{"most", Want::integer},
                 Parameter{"step", Want::integer}},
                Aggregation::none,
                nothing(),
                "The same with buckets of equal width: [0] below the least, [1] from there, the last beyond the most.",
                "k:vfs_read { @x = samples(arg2); } END { print(hist_linear(@x, 0, 1000, 100)); }"},
};

}  // namespace

std::span<const FunctionRow> samples_functions() { return of_samples; }

}  // namespace lt
