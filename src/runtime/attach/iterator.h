// BPF iterators: reading one runs its program for each object.
#pragma once

#include <functional>

#include "base/result.h"

namespace lt {

// Reads from start to end, or until `goes_on`, which is called every few objects, returns false. `link` is the
// iterator's link.
Status read_iterator(int link, const std::function<bool()>& goes_on);

}  // namespace lt
