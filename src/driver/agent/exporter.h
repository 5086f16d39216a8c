// The work of --otlp: sends the agent's metrics to a collector of OpenTelemetry every so often, and late spans as
// traces as they come.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/exposition/metrics.h"
#include "driver/exposition/otlp.h"
#include "driver/otlp/sender.h"

namespace lt::agent {

struct OtlpOptions {
    OtlpEndpoint endpoint;
    std::chrono::nanoseconds interval = std::chrono::minutes(1);
    OtlpPairs resource = {};  // attributes besides those that the agent knows itself
};

class Exporter {
  public:
    // `instance` differs between the agents of one host. Nothing is sent yet.
    static Result<std::unique_ptr<Exporter>> open(const OtlpOptions& options, const std::string& version,
                                                  const std::string& instance);

    // Milliseconds until metrics have to be sent or spans are.
    int patience() const;
    bool wants_metrics() const { return Clock::now() >= next_; }  // at once, then at each interval
    void send(const std::vector<Family>& families);
    // Spans are sent together, a second after the first of them at the latest.
    void add(std::vector<OtlpSpan> trace);
    void send_traces();  // those that are due
    // Waits for the collector, but not long; reports what it did not get.
    void finish();

    std::vector<Family> facts() const;

  private:
    using Clock = std::chrono::steady_clock;
    Exporter() = default;
    void flush_traces();

    Curl curl_;
    OtlpSource source_;
    std::chrono::nanoseconds interval_{};
    Clock::time_point next_ = Clock::now();
    std::vector<OtlpSpan> spans_;
    Clock::time_point spans_due_;
    std::unique_ptr<OtlpSender> metrics_, traces_;
};

}  // namespace lt::agent
