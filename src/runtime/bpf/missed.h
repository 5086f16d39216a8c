// The kernel's own counts of events at which it did not run a program.
#pragma once

#include <cstdint>

namespace lt {

// For a kprobe link, single or multi, since it was created; 0 for other links, and before Linux 6.7.
uint64_t missed_by_link(int link);

}  // namespace lt
