// `lt wait SPAN`: blocks until something happens once, and tells by its exit status whether it did.
#pragma once

#include <string>

#include "base/source.h"

namespace lt {

// The program to wait with: the text as it stands where it is one, else with a block that prints a line for each event
// or span. A text that is no program in any of these ways is returned as it stands.
Source waiting_program(const Source& text);

}  // namespace lt
