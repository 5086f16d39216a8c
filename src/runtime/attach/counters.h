// The counters that programs read (Plan::counters). They are opened on each CPU and put into the programs' maps, where
// they stay as long as the descriptors are open.
#pragma once

#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/load/object.h"
#include "runtime/os/descriptor.h"

namespace lt {

Result<std::vector<Descriptor>> open_counters(const Plan& plan, const LoadedObject& object);

}  // namespace lt
