// The forms in which metrics are sent, one row each, and the choice among them by the Accept header of a request.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/exposition/metrics.h"

namespace lt {

struct ExpositionFormat {
    std::string_view name;
    std::string_view content_type;
    std::string (*write)(const std::vector<Family>& families);
    std::string_view accepts;  // the media type in an Accept header,
    std::string_view proto;    // and the parameter `proto` that it needs; empty: none
};

std::span<const ExpositionFormat> exposition_formats();

// The format with the greatest weight (`q`) in the header, the first one of those with the same weight; plain text for
// an empty header and for one that names no format of ours.
const ExpositionFormat& accepted_format(std::string_view accept);

// Prometheus's text format 0.0.4.
std::string prometheus_text(const std::vector<Family>& families);
// OpenMetrics 1.0.0.
std::string openmetrics_text(const std::vector<Family>& families);
// Messages io.prometheus.client.MetricFamily, each after its length. The only one of these forms with native
// histograms.
std::string prometheus_protobuf(const std::vector<Family>& families);

}  // namespace lt
