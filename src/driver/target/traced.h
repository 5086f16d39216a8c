// The processes whose events a run collects, by -p, --follow, --cgroup and --container.
#pragma once

#include "base/result.h"
#include "driver/cli/command.h"
#include "runtime/border/target.h"

namespace lt {

Result<Traced> traced_of(const Command& command);

}  // namespace lt
