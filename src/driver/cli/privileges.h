// Is this process allowed to trace?
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace lt {

uint64_t effective_capabilities();  // one bit per number of include/uapi/linux/capability.h

// The missing privilege, and how to get it.
std::optional<Error> lacking_privilege();

}  // namespace lt
