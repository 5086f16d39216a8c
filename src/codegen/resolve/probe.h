// The locations of one probe: checks its kind and the number of its parts, then asks the provider of that kind.
#pragma once

#include "codegen/providers/provider.h"

namespace lt {

// All locations of one probe of an item; none after an error.
Places places(const Search& given);

}  // namespace lt
