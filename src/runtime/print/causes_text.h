// Where time went, as text.
#pragma once

#include <string>

#include "runtime/values/value.h"

namespace lt {

// The whole time and how many spans there were, then a line for each cause with time: the time, its share of the whole
// and its title, the largest first and what is unexplained last.
void append_causes(std::string& out, const Causes& causes, bool plain);

// A value of `why` as causes of one call.
Causes causes_of(const Group& why);

// The longest wait of a value of `why`: its time and title, who held the lock and who ended the wait, and a line for
// each frame of its stack. Nothing if there was no wait, or if it is less than a hundredth of the whole.
void append_longest_wait(std::string& out, const Group& why, bool plain);

}  // namespace lt
