#include "driver/exposition/formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "base/text.h"

namespace lt {
namespace {

constexpr std::array formats{
    ExpositionFormat{"text", "text/plain; version=0.0.4; charset=utf-8", prometheus_text, "text/plain", ""},
    ExpositionFormat{"openmetrics", "application/openmetrics-text; version=1.0.0; charset=utf-8", openmetrics_text,
                     "application/openmetrics-text", ""},
    ExpositionFormat{"protobuf",
                     "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
                     prometheus_protobuf, "application/vnd.google.protobuf", "io.prometheus.client.metricfamily"},
};

std::string lowered(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// One of the alternatives in an Accept header: "text/plain;version=0.0.4;q=0.5".
struct MediaRange {
    std::string type;
    std::string proto = {};
    std::string encoding = {};
    std::string version = {};
    double weight = 1;
};

MediaRange media_range(std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ';');
    MediaRange out{lowered(trim(parts.front()))};
    for (const std::string_view part : std::span(parts).subspan(1)) {
        const size_t equals = part.find('=');
        if (equals == part.npos) continue;
        const std::string name = lowered(trim(part.substr(0, equals))), value = lowered(trim(part.substr(equals + 1)));
        if (name == "proto") out.proto = value;
        if (name == "encoding") out.encoding = value;
        if (name == "version") out.version = value;
        if (name == "q") {
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out.weight);
            if (error != std::errc{} || end != value.data() + value.size()) out.weight = 0;
        }
    }
    return out;
}

bool fits(const MediaRange& range, const ExpositionFormat& format) {
    if (!format.proto.empty())
        return range.type == format.accepts && range.proto == format.proto &&
               (range.encoding.empty() || range.encoding == "delimited");
    const bool is_any = &format == formats.data() && (range.type == "*/*" || range.type == "text/*");
    const bool is_known =
        range.version.empty() || format.content_type.find("version=" + range.version) != std::string::npos;
    return is_any || (range.type == format.accepts && is_known);
}

}  // namespace

std::span<const ExpositionFormat> exposition_formats() { return formats; }

const ExpositionFormat& accepted_format(std::string_view accept) {
    const ExpositionFormat* best = formats.data();
    double weight = 0;
    for (const std::string_view part : split(accept, ',')) {
        const MediaRange range = media_range(part);
        const auto* const format =
            std::ranges::find_if(formats, [&](const ExpositionFormat& each) { return fits(range, each); });
        if (format == formats.end() || range.weight <= weight) continue;
        best = format;
        weight = range.weight;
    }
    return *best;
}

}  // namespace lt
