// Metrics and traces as OpenTelemetry's protocol has them, in its JSON form (OTLP/HTTP): the bodies of requests to
// /v1/metrics and /v1/traces.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "driver/exposition/metrics.h"

namespace lt {

struct OtlpAttribute {
    std::string key;
    std::variant<std::string, int64_t, std::vector<std::string>> value;
};
using OtlpAttributes = std::vector<OtlpAttribute>;

// Who sends: attributes like service.name and host.name.
struct OtlpSource {
    OtlpAttributes resource;
    std::string version;  // of lt
};

struct OtlpSpan {
    std::string trace_id;   // 32 hexadecimal digits
    std::string span_id;    // 16
    std::string parent_id;  // empty: it is the first of its trace
    std::string name;
    int64_t begin = 0, end = 0;  // nanoseconds since 1970
    OtlpAttributes attributes = {};
};

// The name is that of other forms, without "_total". Everything that adds up is cumulative. A distribution is an
// exponential histogram of its own buckets, so its unit is the one in which it was measured, which is also the last
// word of its name; everything else is in base units. `unix_ns` is when the values were read.
std::string otlp_metrics(const std::vector<Family>& families, const OtlpSource& source, int64_t unix_ns);
std::string otlp_traces(const std::vector<OtlpSpan>& spans, const OtlpSource& source);

// Data points in the request.
size_t otlp_points(const std::vector<Family>& families);

}  // namespace lt
