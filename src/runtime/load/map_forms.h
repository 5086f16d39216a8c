// The kinds and sizes of a loaded object's maps.
#pragma once

#include "base/result.h"
#include "runtime/border/plan.h"

struct bpf_object;

namespace lt {

// The kernel reads and writes as many bytes as the object's map has, for each CPU if its values are per CPU, at
// addresses with as much room as the plan says. For a plan that was just compiled these agree; a file can contain
// anything.
Status maps_agree(const Plan& plan, const bpf_object* object);

}  // namespace lt
