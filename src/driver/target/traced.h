// The processes whose events a run collects, by -p, --follow, --cgroup and --container.
#pragma once

#include "base/result.h"
#include "codegen/compile.h"
#include "driver/cli/command.h"

namespace lt {

Result<Traced> traced_of(const Command& command);

}  // namespace lt
