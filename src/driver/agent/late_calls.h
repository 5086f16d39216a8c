// The late calls of a script's run: as traces, and as exemplars of the histograms that their values went into.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/exposition/otlp.h"
#include "driver/metrics/map_metrics.h"
#include "runtime/print/relay.h"

namespace lt::agent {

// A call that took longer than --late, as a trace: the first span is the call, and each cause is a child. A cause is a
// sum of times and has no moment: the children lie end to end, longest first.
using LateTrace = std::vector<OtlpSpan>;

// Receives the records of a run. Others that the run prints go to the next printer.
class LateCalls final : public Relay {
  public:
    // `metrics` are those of the script, known once it is compiled; they outlive this. If late calls are not `traced`,
    // exemplars have no trace.
    LateCalls(Printer& next, std::string_view script, const std::vector<MapMetric>& metrics, bool traced,
              size_t most_exemplars)
        : Relay(next), script_(script), metrics_(metrics), traced_(traced), most_(most_exemplars) {}

    void value(const Value& value) override;

    // Those since the last call.
    std::vector<LateTrace> take() { return std::exchange(traces_, {}); }
    uint64_t count() const { return count_; }

    // Adds the last exemplar of each series.
    void add_exemplars(const MapMetric& metric, std::vector<MetricSeries>& series) const;

  private:
    void take_call(const Value& record);
    void take_value(const Value& record);

    const std::string script_;
    const std::vector<MapMetric>& metrics_;
    const bool traced_;
    const size_t most_;
    uint64_t count_ = 0;
    std::vector<LateTrace> traces_;
    // The last call of each thread: its values follow.
    std::map<int64_t, Exemplar> last_;
    std::map<std::pair<size_t, Labels>, Exemplar> exemplars_;  // by map and labels
};

}  // namespace lt::agent
