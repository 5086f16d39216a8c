// The keys of maps' entries, to find the same one again.
#pragma once

#include <string>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

// Differs if the keys do. As people see them two may be the same text: rounded times, addresses in one function, and
// stacks whose frames are not known yet.
std::string exact_key(const std::vector<Value>& key);

}  // namespace lt
