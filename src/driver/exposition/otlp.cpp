// The fields have the names of opentelemetry-proto in lowerCamelCase. As in every JSON form of protobuf, integers of 64
// bits are strings and so are numbers that JSON lacks; OTLP's own rules are that ids are hexadecimal and enumerations
// integers.
#include "driver/exposition/otlp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "json/json.h"

namespace lt {
namespace {

using Json = nlohmann::ordered_json;

constexpr int cumulative = 2;     // AGGREGATION_TEMPORALITY_CUMULATIVE
constexpr int internal_span = 1;  // SPAN_KIND_INTERNAL

Json long_number(auto number) { return std::to_string(number); }

Json double_number(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    return number;
}

Json string_value(const std::string& text) { return {{"stringValue", text}}; }

struct AnyValue {
    Json operator()(const std::string& text) const { return string_value(text); }
    Json operator()(int64_t number) const { return {{"intValue", long_number(number)}}; }
    Json operator()(const std::vector<std::string>& texts) const {
        Json values = Json::array();
        for (const std::string& text : texts) values.push_back(string_value(text));
        return {{"arrayValue", {{"values", std::move(values)}}}};
    }
};

Json attributes_json(const OtlpAttributes& attributes) {
    Json out = Json::array();
    for (const OtlpAttribute& each : attributes)
        out.push_back({{"key", each.key}, {"value", std::visit(AnyValue{}, each.value)}});
    return out;
}

Json attributes_json(const Labels& labels) {
    Json out = Json::array();
    for (const Label& label : labels) out.push_back({{"key", label.name}, {"value", string_value(label.value)}});
    return out;
}

// ---- metrics

// A unit of time in which numbers are measured: as UCUM and names of metrics have it.
struct TimeUnit {
    int64_t divisor;
    std::string_view code, word;
};
constexpr std::array time_units{TimeUnit{1, "s", "seconds"}, TimeUnit{1'000, "ms", "milliseconds"},
                                TimeUnit{1'000'000, "us", "microseconds"},
                                TimeUnit{1'000'000'000, "ns", "nanoseconds"}};

bool has_exact(const Family& family) {
    const auto* point = family.series.empty() ? nullptr : std::get_if<HistogramPoint>(&family.series.front().point);
    return point && point->exact;
}

// A distribution has the unit in which it was measured, and its name ends with that.
void write_name(Json& to, const Family& family) {
    to["name"] = family.name;
    to["description"] = family.help;
    if (family.unit == "bytes") to["unit"] = "By";
    if (family.unit != "seconds") return;
    const auto* const unit = std::ranges::find(time_units, has_exact(family) ? family.divisor : 1, &TimeUnit::divisor);
    to["name"] = family.name.substr(0, family.name.size() - family.unit.size()) + std::string(unit->word);
    to["unit"] = unit->code;
}

uint64_t all_counts(const HistogramPoint& point) {
    return std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0});
}

Json exemplars_json(const HistogramPoint& point, double value) {
    const Exemplar& exemplar = *point.exemplar;
    Json out = {{"filteredAttributes", attributes_json(exemplar.labels)},
                {"timeUnixNano", long_number(exemplar.unix_ns)},
                {"asDouble", double_number(value)}};
    if (!exemplar.trace_id.empty()) {
        out["spanId"] = exemplar.span_id;
        out["traceId"] = exemplar.trace_id;
    }
    return Json::array({std::move(out)});
}

// A run of buckets without gaps. OTLP's number of a bucket is smaller by one.
Json buckets_json(const std::map<int32_t, uint64_t>& buckets) {
    const int32_t first = buckets.begin()->first;
    Json counts = Json::array();
    for (const auto& [index, count] : buckets) {
        while (static_cast<int64_t>(counts.size()) < int64_t{index} - first) counts.push_back("0");
        counts.push_back(long_number(count));
    }
    return {{"offset", first - 1}, {"bucketCounts", std::move(counts)}};
}

// Adds what a point of this kind has besides its attributes and times.
struct PointFields {
    const Family& family;
    Json& to;

    void operator()(int64_t number) const {
        const bool fits = !family.is_unsigned || number >= 0;
        if (family.divisor == 1 && fits)
            to["asInt"] = long_number(number);
        else
            to["asDouble"] = double_number(scaled(number, family));
    }
    void operator()(double number) const { to["asDouble"] = double_number(number); }
    void operator()(const SummaryPoint& point) const {
        to["count"] = long_number(point.count);
        if (!family.sum_falls) to["sum"] = double_number(scaled(point.sum, family));
    }
    void operator()(const HistogramPoint& point) const {
        to["count"] = long_number(all_counts(point));
        point.exact ? exponential(point) : explicit_bounds(point);
    }

  private:
    // A sum of numbers that may be negative is not allowed.
    void explicit_bounds(const HistogramPoint& point) const {
        const bool has_negative = !family.bounds.empty() && family.bounds.front() < 0;
        if (point.sum && !has_negative) to["sum"] = double_number(scaled(*point.sum, family));
        to["bucketCounts"] = Json::array();
        for (const uint64_t count : point.counts) to["bucketCounts"].push_back(long_number(count));
        to["explicitBounds"] = family.bounds;
        if (point.exemplar) to["exemplars"] = exemplars_json(point, scaled(point.exemplar->value, family));
    }
    void exponential(const HistogramPoint& point) const {
        const NativeBuckets& buckets = *point.exact;
        if (point.sum && buckets.negative.empty()) to["sum"] = double_number(unscaled(*point.sum, family));
        to["scale"] = buckets.schema;
        to["zeroCount"] = long_number(buckets.zero);
        if (!buckets.positive.empty()) to["positive"] = buckets_json(buckets.positive);
        if (!buckets.negative.empty()) to["negative"] = buckets_json(buckets.negative);
        if (point.exemplar) to["exemplars"] = exemplars_json(point, unscaled(point.exemplar->value, family));
    }
};

std::string_view kind_name(const Family& family) {
    switch (family.type) {
        case MetricType::counter:
            return "sum";
        case MetricType::gauge:
            return "gauge";
        case MetricType::summary:
            return "summary";
        case MetricType::histogram:
            return has_exact(family) ? "exponentialHistogram" : "histogram";
    }
    return {};
}

Json metric_json(const Family& family, int64_t unix_ns) {
    Json points = Json::array();
    for (const MetricSeries& series : family.series) {
        Json point = {{"attributes", attributes_json(series.labels)}};
        if (family.type != MetricType::gauge && family.since != 0)
            point["startTimeUnixNano"] = long_number(family.since);
        point["timeUnixNano"] = long_number(unix_ns);
        std::visit(PointFields{family, point}, series.point);
        points.push_back(std::move(point));
    }
    Json data = {{"dataPoints", std::move(points)}};
    const bool adds_up = family.type == MetricType::counter || family.type == MetricType::histogram;
    if (adds_up) data["aggregationTemporality"] = cumulative;
    if (family.type == MetricType::counter) data["isMonotonic"] = true;
    Json out;
    write_name(out, family);
    out[std::string(kind_name(family))] = std::move(data);
    return out;
}

Json resource_json(const OtlpSource& source) { return {{"attributes", attributes_json(source.resource)}}; }

Json scope_json(const OtlpSource& source) { return {{"name", "lt"}, {"version", source.version}}; }

Json span_json(const OtlpSpan& span) {
    Json out = {{"traceId", span.trace_id}, {"spanId", span.span_id}};
    if (!span.parent_id.empty()) out["parentSpanId"] = span.parent_id;
    out["name"] = span.name;
    out["kind"] = internal_span;
    out["startTimeUnixNano"] = long_number(span.begin);
    out["endTimeUnixNano"] = long_number(span.end);
    out["attributes"] = attributes_json(span.attributes);
    return out;
}

}  // namespace

std::string otlp_metrics(const std::vector<Family>& families, const OtlpSource& source, int64_t unix_ns) {
    Json metrics = Json::array();
    for (const Family& family : families)
        if (!family.series.empty()) metrics.push_back(metric_json(family, unix_ns));
    const Json scoped = {{"scope", scope_json(source)}, {"metrics", std::move(metrics)}};
    const Json all = {{"resource", resource_json(source)}, {"scopeMetrics", Json::array({scoped})}};
    Json out;
    out["resourceMetrics"] = Json::array({all});
    return json_text(out);
}

std::string otlp_traces(const std::vector<OtlpSpan>& spans, const OtlpSource& source) {
    Json list = Json::array();
    for (const OtlpSpan& span : spans) list.push_back(span_json(span));
    const Json scoped = {{"scope", scope_json(source)}, {"spans", std::move(list)}};
    const Json all = {{"resource", resource_json(source)}, {"scopeSpans", Json::array({scoped})}};
    Json out;
    out["resourceSpans"] = Json::array({all});
    return json_text(out);
}

size_t otlp_points(const std::vector<Family>& families) {
    size_t out = 0;
    for (const Family& family : families) out += family.series.size();
    return out;
}

}  // namespace lt
