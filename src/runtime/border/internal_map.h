// Maps that a form of the language uses, such as a chain.
#pragma once

#include <string>

#include "runtime/border/plan.h"

namespace lt {

// Its name has a dot, which no script can write. It is neither printed nor listed.
inline bool is_internal(const PlannedMap& map) { return map.name.find('.') != std::string::npos; }

}  // namespace lt
