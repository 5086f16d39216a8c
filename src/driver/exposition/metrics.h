// Metrics as values, before they become text or bytes: families of series, as Prometheus and OpenMetrics define them.
// Numbers are integers in the unit in which they were measured, so that adding and merging them is exact; a family's
// divisor makes its base unit of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lt {

enum class MetricType : uint8_t { counter, gauge, summary, histogram };

struct Label {
    std::string name;
    std::string value;  // UTF-8
    auto operator<=>(const Label&) const = default;
};
using Labels = std::vector<Label>;

struct SummaryPoint {  // without quantiles
    int64_t sum = 0;
    uint64_t count = 0;
    bool operator==(const SummaryPoint&) const = default;
};

// Exponential buckets of a native histogram: bucket i holds the values from base^(i-1), exclusive, to base^i,
// inclusive, in the base unit, where base is 2^(2^-schema).
struct NativeBuckets {
    int schema = 0;
    uint64_t zero = 0;  // values that are zero
    std::map<int32_t, uint64_t> positive = {}, negative = {};
    bool operator==(const NativeBuckets&) const = default;
};

// One of the values of a histogram, and where to look for its reasons.
struct Exemplar {
    int64_t value = 0;     // in the unit in which it was measured
    int64_t unix_ns = 0;   // when, in nanoseconds since 1970
    std::string trace_id;  // 32 hexadecimal digits
    std::string span_id;   // 16
    Labels labels = {};    // others than those of the series
    bool operator==(const Exemplar&) const = default;
};

struct HistogramPoint {
    std::vector<uint64_t> counts;  // of each of Family::bounds, not cumulative; then one of the values above them all
    std::optional<int64_t> sum = {};           // none: it was not collected
    std::optional<NativeBuckets> native = {};  // in the base unit
    std::optional<NativeBuckets> exact = {};   // the buckets as they were collected, in the unit of that
    std::optional<Exemplar> exemplar = {};
    bool operator==(const HistogramPoint&) const = default;
};

// A double is already in the base unit.
using Point = std::variant<int64_t, double, SummaryPoint, HistogramPoint>;

struct MetricSeries {
    Labels labels = {};
    Point point = int64_t{0};
    bool operator==(const MetricSeries&) const = default;
};

struct Family {
    std::string name;  // without the suffix _total
    std::string help;
    MetricType type = MetricType::gauge;
    std::string_view unit = {};       // "seconds", "bytes", or empty; the name ends with it
    int64_t divisor = 1;              // of integers: 1'000'000'000 makes seconds of nanoseconds
    std::vector<double> bounds = {};  // of a histogram: the upper bounds, inclusive, in the base unit, ascending
    std::vector<MetricSeries> series = {};
    int64_t since = 0;         // what counts began at zero then, in nanoseconds since 1970; 0: it is not known
    bool is_unsigned = false;  // its integers are, although they are kept as int64_t
    bool sum_falls = false;    // of a summary: its values may be negative, so the sum is not a counter
};

std::string_view type_name(MetricType type);

// The names of the samples of a family: "x_total", "x_bucket" ...
std::vector<std::string> sample_names(const Family& family);

// A number in the unit in which it was measured.
double unscaled(int64_t number, const Family& family);
// A number in the family's base unit.
double scaled(int64_t number, const Family& family);
// The shortest text that reads as the same number: 1e-06, 0.5, +Inf, NaN.
std::string number_text(double number);
// The same for an integer of the family.
std::string number_text(int64_t number, const Family& family);

// For labels and help: a backslash before backslashes and quotes, \n for newlines.
std::string escaped(std::string_view text, bool quotes);

// {name="value",le="bound"}; nothing without labels and bound.
std::string labels_text(const Labels& labels, std::string_view bound = {});

}  // namespace lt
