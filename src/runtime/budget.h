// What tracing costs as a share of all CPUs' time, and what is to be done where that is more than was allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/plan.h"
#include "runtime/session.h"

namespace lt {

// What the kernel does around one run of a program, in nanoseconds: it does not measure that.
uint64_t dispatch_ns(Way way, bool at_return);

// A probe, or all probes of one span: they stay and go together.
struct Suspect {
    ProbeCost cost;
    bool can_be_sampled = false;
    bool can_be_detached = false;
    uint64_t one_of = 1;  // so many events is taken now
};

constexpr uint64_t least_sampling = 8, most_sampling = 1024;

struct Remedy {
    enum class What : uint8_t {
        none,     // it costs no more than it may
        sample,   // take one of so many events of the suspect
        detach,   // it
        too_late  // it costs too much, and nothing can be done
    };
    What what = What::none;
    size_t suspect = 0;  // its index; of too_late: the costliest
    uint64_t one_of = 1;
};

// `capacity_ns` is the time of all CPUs that was measured, `budget` the share of it that tracing may cost.
Remedy find_remedy(std::span<const Suspect> suspects, double capacity_ns, double budget);

}  // namespace lt
