// The counts that programs read (Plan::counters): opened on each CPU and put into their maps, where they stay as long
// as the descriptors are open.
#pragma once

#include <vector>

#include "base/result.h"
#include "descriptor.h"
#include "object.h"
#include "runtime/plan.h"

namespace lt {

Result<std::vector<Descriptor>> open_counters(const Plan& plan, const LoadedObject& object);

}  // namespace lt
