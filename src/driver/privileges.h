// May this process trace at all?
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"

namespace lt {

uint64_t effective_capabilities();  // a bit for each number of include/uapi/linux/capability.h

// What is lacking, with what to do about it.
std::optional<Error> lacking_privilege();

}  // namespace lt
