// May this process trace at all?
#pragma once

#include <optional>

#include "base/result.h"

namespace lt {

// What is lacking, with what to do about it.
std::optional<Error> lacking_privilege();

}  // namespace lt
