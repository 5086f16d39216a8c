// Iterators of the kernel's: reading one runs its program for each object.
#pragma once

#include <functional>

#include "base/result.h"

namespace lt {

// From the beginning to the end, or until `goes_on`, which is asked every few objects, says no. `link` is the
// iterator's.
Status read_iterator(int link, const std::function<bool()>& goes_on);

}  // namespace lt
