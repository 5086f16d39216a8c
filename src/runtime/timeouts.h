// Spans that are open for longer than their timeout: found by looking at all that are open, a few times in a tenth of a
// second, so that what is traced pays nothing for it.
#pragma once

#include <chrono>
#include <set>
#include <tuple>

#include "base/result.h"
#include "object.h"
#include "open_spans.h"
#include "runtime/plan.h"

namespace lt {

class Timeouts {
  public:
    static constexpr auto period = std::chrono::milliseconds(40);

    // Both outlive it.
    Timeouts(const Plan& plan, const LoadedObject& object) : plan_(plan), object_(object) {}

    // Runs the program of each span that is stuck and was not told yet.
    Status look();

  private:
    using Told = std::tuple<size_t, uint64_t, uint64_t, Bytes>;  // which timeout; of the span: who, time, key
    Result<int64_t> patience(const PlannedTimeout& timeout) const;
    void keep_stack(const std::vector<uint64_t>& addresses, StuckSpan& stuck) const;
    Status tell(const PlannedTimeout& timeout, const Open& open);

    const Plan& plan_;
    const LoadedObject& object_;
    std::set<Told> told_;
};

}  // namespace lt
