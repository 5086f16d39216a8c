// Facts about the machine that a recording has beside its records: threads, devices, names of functions.
#pragma once

#include "recording/recording.h"

namespace lt {

// Kernel, devices, the clock's offset.
void add_machine(Recording& recording);
// The threads that live now, with their names; in a PID namespace none, which is noted as missing.
void add_threads(Recording& recording);
// Names of the addresses in the recording's stacks.
void add_symbols(Recording& recording);

}  // namespace lt
