// Memory for the keys of maps, which is there before an event needs it.
#pragma once

#include <bpf/libbpf.h>

#include "runtime/border/plan.h"

namespace lt {

// At an event there may be no memory for a new key: a program that runs with interrupts off gets only the elements that
// are ready on its CPU, at first a handful. So hashes of keys are preallocated if that is cheap (4096 counts take 2
// ms). Larger ones (a million take 1 s) are preallocated if the user wants more keys than the default, or if `all` must
// be, as long as they fit into memory. A hash with generations is judged by one of them.
void make_room(bpf_object* object, const Plan& plan, bool all);
// Is a hash of this size, in one generation, preallocated however much memory there is?
bool is_cheap(uint32_t key_size, uint32_t value_size, uint32_t entries, bool per_cpu);

}  // namespace lt
