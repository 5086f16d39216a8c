#include "driver/agent/exporter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "driver/metrics/family_list.h"
#include "runtime/os/timestamps.h"

namespace lt::agent {
namespace {

constexpr std::chrono::seconds longest_farewell(3), longest_wait_of_spans(1);
constexpr size_t most_spans = 512;  // in a request

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("localhost");
}

// Those that the user gives come first, and hold.
OtlpAttributes resource_of(const OtlpPairs& given, const std::string& version, const std::string& instance) {
    OtlpAttributes out;
    const auto add = [&](const std::string& key, const std::string& value) {
        if (std::ranges::find(out, key, &OtlpAttribute::key) == out.end()) out.push_back({key, value});
    };
    for (const auto& [key, value] : given) add(key, value);
    add("service.name", "lt-agent");
    add("service.version", version);
    add("service.instance.id", host_name() + ":" + instance);
    add("host.name", host_name());
    add("os.type", "linux");
    return out;
}

}  // namespace

Result<std::unique_ptr<Exporter>> Exporter::open(const OtlpOptions& options, const std::string& version,
                                                 const std::string& instance) {
    Result<Curl> curl = load_curl();
    if (!curl) return curl.error();
    std::unique_ptr<Exporter> out(new Exporter);
    out->curl_ = *curl;
    out->interval_ = options.interval;
    out->source_ = {resource_of(options.resource, version, instance), version};
    Result<std::unique_ptr<OtlpSender>> metrics =
        OtlpSender::start(out->curl_, options.endpoint, "/v1/metrics", "DataPoints");
    if (!metrics) return metrics.error();
    out->metrics_ = *std::move(metrics);
    Result<std::unique_ptr<OtlpSender>> traces = OtlpSender::start(out->curl_, options.endpoint, "/v1/traces", "Spans");
    if (!traces) return traces.error();
    out->traces_ = *std::move(traces);
    return out;
}

int Exporter::patience() const {
    const Clock::time_point due = spans_.empty() ? next_ : std::min(next_, spans_due_);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

void Exporter::send(const std::vector<Family>& families) {
    next_ += interval_;
    if (next_ < Clock::now()) next_ = Clock::now() + interval_;  // what was missed is not made up for
    metrics_->send(otlp_metrics(families, source_, unix_now()), otlp_points(families));
}

void Exporter::add(std::vector<OtlpSpan> trace) {
    if (spans_.empty()) spans_due_ = Clock::now() + longest_wait_of_spans;
    std::ranges::move(trace, std::back_inserter(spans_));
    if (spans_.size() >= most_spans) flush_traces();
}

void Exporter::send_traces() {
    if (!spans_.empty() && Clock::now() >= spans_due_) flush_traces();
}

void Exporter::flush_traces() {
    if (!spans_.empty()) traces_->send(otlp_traces(spans_, source_), spans_.size());
    spans_.clear();
}

void Exporter::finish() {
    flush_traces();
    const Clock::time_point latest = Clock::now() + longest_farewell;
    const size_t points = metrics_->finish(latest), spans = traces_->finish(latest);
    if (points + spans > 0)
        fmt::print(stderr, "lt: the collector did not get the last {} and {}\n", plural(points, "data point"),
                   plural(spans, "span"));
}

std::vector<Family> Exporter::facts() const {
    const std::array<std::pair<std::string, OtlpSender::Counts>, 2> signals{
        {{"metrics", metrics_->counts()}, {"traces", traces_->counts()}}};
    FamilyList out;
    const auto number = [](uint64_t count) { return static_cast<int64_t>(count); };
    out.counter("lt_otlp_requests", "Requests to the collector, by the status of the answer; error: there was none.");
    for (const auto& [signal, counts] : signals)
        for (const auto& [code, count] : counts.requests) out.add({{"signal", signal}, {"code", code}}, number(count));
    out.counter("lt_otlp_accepted", "Data points and spans that the collector has accepted.");
    for (const auto& [signal, counts] : signals) out.add({{"signal", signal}}, number(counts.accepted));
    out.counter("lt_otlp_dropped",
                "Data points and spans that the collector did not get: too many waited, or it did not want them.");
    for (const auto& [signal, counts] : signals)
        for (const auto& [reason, count] : counts.dropped)
            out.add({{"signal", signal}, {"reason", reason}}, number(count));
    out.gauge("lt_otlp_waiting_requests", "Requests that are not answered yet.");
    for (const auto& [signal, counts] : signals) out.add({{"signal", signal}}, number(counts.waiting));
    out.gauge("lt_otlp_last_success_timestamp_seconds", "When the collector last accepted something.");
    for (const auto& [signal, counts] : signals)
        if (counts.last_success != 0) out.add({{"signal", signal}}, static_cast<double>(counts.last_success) / 1e9);
    return out.take();
}

}  // namespace lt::agent
