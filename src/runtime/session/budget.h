// The cost of tracing as a share of all CPUs' time, and what to do if it exceeds the budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/border/plan.h"
#include "runtime/session/session.h"

namespace lt {

// A probe, or all probes of one span, which stay and go together.
struct Suspect {
    ProbeCost cost;
    bool can_be_sampled = false;
    bool can_be_detached = false;
    uint64_t one_of = 1;  // currently takes one in so many events
};

constexpr uint64_t least_sampling = 8, most_sampling = 1024;

struct Remedy {
    enum class What : uint8_t {
        none,     // the cost is within the budget
        sample,   // take only one in so many of the suspect's events
        detach,   // detach the suspect
        too_late  // the cost is too high, and nothing can be done
    };
    What what = What::none;
    size_t suspect = 0;  // index of the suspect; too_late: the most expensive one
    uint64_t one_of = 1;
};

// `capacity_ns` is the measured time of all CPUs, `budget` the share of it that tracing may cost.
Remedy find_remedy(std::span<const Suspect> suspects, double capacity_ns, double budget);

}  // namespace lt
