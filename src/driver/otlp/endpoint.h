// Where an OpenTelemetry collector is: the URL of --otlp, and what the usual environment variables add.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/otlp/curl.h"

namespace lt {

// Metrics go to the URL and "/v1/metrics", traces to "/v1/traces".
struct OtlpEndpoint {
    std::string url;                        // without a slash at the end
    std::string shown;                      // the same for messages: without a password
    std::vector<std::string> headers = {};  // "name: value"
};

// Of "http://HOST[:PORT][/PATH]" or https.
Result<OtlpEndpoint> otlp_endpoint(const Curl& curl, const std::string& text);

// "a=1,b=%20": what OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES look like. `name` is for errors.
using OtlpPairs = std::vector<std::pair<std::string, std::string>>;
Result<OtlpPairs> otlp_pairs(std::string_view name, std::string_view text);

}  // namespace lt
