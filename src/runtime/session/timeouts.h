// Spans that stay open longer than their timeout. They are found by looking at all open spans a few times per tenth of
// a second, so that the traced code pays nothing.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/load/object.h"
#include "runtime/session/open_spans.h"

namespace lt {

class Timeouts {
  public:
    static constexpr uint64_t period_ns = 40'000'000;  // between two calls of look()

    // Both must outlive it.
    Timeouts(const Plan& plan, const LoadedObject& object) : plan_(plan), object_(object) {}

    // Runs the program of each stuck span that was not reported yet.
    Status look();

  private:
    using Told = std::tuple<size_t, uint64_t, uint64_t, Bytes>;  // index of the timeout; the span's who, time, key
    Result<int64_t> patience(const PlannedTimeout& timeout) const;
    void keep_stack(const std::vector<uint64_t>& addresses, StuckSpan& stuck) const;
    Status tell(const PlannedTimeout& timeout, const OpenRecord& open);

    const Plan& plan_;
    const LoadedObject& object_;
    std::set<Told> told_;
};

}  // namespace lt
