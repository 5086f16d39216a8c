// io.prometheus.client.MetricFamily in protobuf's wire format: a field is a key (its number and how it is encoded) and
// its value. The numbers are those of Prometheus's metrics.proto (client_model).
#include <bit>
#include <limits>
#include <numeric>

#include "driver/exposition/formats.h"
#include "driver/exposition/series_text.h"

namespace lt {
namespace {

class Message {
  public:
    void varint(uint32_t field, uint64_t number) {
        key(field, 0);
        append(number);
    }
    void zigzag(uint32_t field, int64_t number) {
        varint(field, (static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
    }
    void fixed(uint32_t field, double number) {
        key(field, 1);
        const auto bits = std::bit_cast<uint64_t>(number);
        for (unsigned shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
    }
    void text(uint32_t field, std::string_view text) {
        key(field, 2);
        append(text.size());
        bytes_ += text;
    }
    void message(uint32_t field, const Message& inner) { text(field, inner.bytes_); }
    // The message after its length.
    void append_delimited(const Message& inner) {
        append(inner.bytes_.size());
        bytes_ += inner.bytes_;
    }
    std::string take() { return std::move(bytes_); }

  private:
    void key(uint32_t field, uint32_t encoding) { append(uint64_t{field} << 3 | encoding); }
    void append(uint64_t number) {
        for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>((number & 0x7f) | 0x80);
        bytes_ += static_cast<char>(number);
    }
    std::string bytes_;
};

namespace field {
constexpr uint32_t family_name = 1, family_help = 2, family_type = 3, family_metric = 4, family_unit = 5;
constexpr uint32_t metric_label = 1, metric_gauge = 2, metric_counter = 3, metric_summary = 4, metric_histogram = 7;
constexpr uint32_t label_name = 1, label_value = 2;
constexpr uint32_t value = 1;                         // of a gauge and of a counter
constexpr uint32_t sample_count = 1, sample_sum = 2;  // of a summary and of a histogram
constexpr uint32_t histogram_bucket = 3, histogram_schema = 5, zero_threshold = 6, zero_count = 7;
constexpr uint32_t negative_span = 9, negative_delta = 10, positive_span = 12, positive_delta = 13;
constexpr uint32_t bucket_count = 1, bucket_bound = 2, bucket_exemplar = 3;
constexpr uint32_t histogram_exemplar = 16;
constexpr uint32_t exemplar_label = 1, exemplar_value = 2, exemplar_time = 3;
constexpr uint32_t time_seconds = 1, time_nanoseconds = 2;
constexpr uint32_t span_offset = 1, span_length = 2;
}  // namespace field

uint64_t type_number(MetricType type) {
    switch (type) {
        case MetricType::counter:
            return 0;
        case MetricType::gauge:
            return 1;
        case MetricType::summary:
            return 2;
        case MetricType::histogram:
            return 4;
    }
    return 0;
}

// Spans are runs of neighbouring buckets, each with the distance from the end of the one before; counts are
// differences.
void write_buckets(Message& to, const std::map<int32_t, uint64_t>& buckets, uint32_t span_field, uint32_t delta_field) {
    int32_t after = 0;  // the index after the last bucket
    for (auto bucket = buckets.begin(); bucket != buckets.end();) {
        auto end = std::next(bucket);
        for (int32_t next = bucket->first + 1; end != buckets.end() && end->first == next; next++) end++;
        Message span;
        span.zigzag(field::span_offset, int64_t{bucket->first} - after);
        span.varint(field::span_length, static_cast<uint64_t>(std::distance(bucket, end)));
        to.message(span_field, span);
        after = std::prev(end)->first + 1;
        bucket = end;
    }
    int64_t last = 0;
    for (const auto& [index, count] : buckets) {
        to.zigzag(delta_field, static_cast<int64_t>(count) - last);
        last = static_cast<int64_t>(count);
    }
}

void write_labels(Message& to, uint32_t label_field, const Labels& labels) {
    for (const Label& label : labels) {
        Message pair;
        pair.text(field::label_name, label.name);
        pair.text(field::label_value, label.value);
        to.message(label_field, pair);
    }
}

Message exemplar_message(const Family& family, const Exemplar& exemplar) {
    constexpr int64_t second = 1'000'000'000;
    Message out, time;
    write_labels(out, field::exemplar_label, exemplar_labels(exemplar));
    out.fixed(field::exemplar_value, scaled(exemplar.value, family));
    time.varint(field::time_seconds, static_cast<uint64_t>(exemplar.unix_ns / second));
    time.varint(field::time_nanoseconds, static_cast<uint64_t>(exemplar.unix_ns % second));
    out.message(field::exemplar_time, time);
    return out;
}

struct PointWriter {
    Message& metric;
    const Family& family;

    void number(double value) const {
        Message inner;
        inner.fixed(field::value, value);
        metric.message(family.type == MetricType::counter ? field::metric_counter : field::metric_gauge, inner);
    }
    void operator()(int64_t value) const { number(scaled(value, family)); }
    void operator()(double value) const { number(value); }
    void operator()(const SummaryPoint& point) const {
        Message inner;
        inner.varint(field::sample_count, point.count);
        inner.fixed(field::sample_sum, scaled(point.sum, family));
        metric.message(field::metric_summary, inner);
    }
    // A missing sum would be read as zero.
    void operator()(const HistogramPoint& point) const {
        Message inner;
        inner.varint(field::sample_count, std::accumulate(point.counts.begin(), point.counts.end(), uint64_t{0}));
        inner.fixed(field::sample_sum,
                    point.sum ? scaled(*point.sum, family) : std::numeric_limits<double>::quiet_NaN());
        uint64_t below = 0;
        for (size_t i = 0; i < point.counts.size(); i++) {
            const bool has_exemplar = point.exemplar && exemplar_bucket(family, *point.exemplar) == i;
            if (i >= family.bounds.size() && !has_exemplar) break;  // the last one may be left out
            Message bucket;
            bucket.varint(field::bucket_count, below += point.counts[i]);
            bucket.fixed(field::bucket_bound,
                         i < family.bounds.size() ? family.bounds[i] : std::numeric_limits<double>::infinity());
            if (has_exemplar) bucket.message(field::bucket_exemplar, exemplar_message(family, *point.exemplar));
            inner.message(field::histogram_bucket, bucket);
        }
        if (point.native) native(inner, *point.native);
        if (point.native && point.exemplar)
            inner.message(field::histogram_exemplar, exemplar_message(family, *point.exemplar));
        metric.message(field::metric_histogram, inner);
    }
    // A histogram without values is recognized as a native one by a span without buckets.
    static void native(Message& to, const NativeBuckets& buckets) {
        to.zigzag(field::histogram_schema, buckets.schema);
        to.fixed(field::zero_threshold, 0);
        to.varint(field::zero_count, buckets.zero);
        write_buckets(to, buckets.negative, field::negative_span, field::negative_delta);
        write_buckets(to, buckets.positive, field::positive_span, field::positive_delta);
        if (!buckets.positive.empty() || !buckets.negative.empty()) return;
        Message empty;
        empty.zigzag(field::span_offset, 0);
        empty.varint(field::span_length, 0);
        to.message(field::positive_span, empty);
    }
};

}  // namespace

std::string prometheus_protobuf(const std::vector<Family>& families) {
    Message out;
    for (const Family& family : families) {
        if (family.series.empty()) continue;
        Message message;
        message.text(field::family_name, family.name + (family.type == MetricType::counter ? "_total" : ""));
        message.text(field::family_help, family.help);
        message.varint(field::family_type, type_number(family.type));
        for (const MetricSeries& series : family.series) {
            Message metric;
            write_labels(metric, field::metric_label, series.labels);
            std::visit(PointWriter{metric, family}, series.point);
            message.message(field::family_metric, metric);
        }
        if (!family.unit.empty()) message.text(field::family_unit, family.unit);
        out.append_delimited(message);
    }
    return out.take();
}

}  // namespace lt
