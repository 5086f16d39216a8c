// What the kernel itself counts of events at which it did not run a program.
#pragma once

#include <cstdint>

namespace lt {

// Of a link to kprobes, one or many, since it was made; 0 for other links, and before Linux 6.7.
uint64_t missed_by_link(int link);

}  // namespace lt
