// Where time went, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

// A cause with time.
struct CauseLine {
    const CauseRow* cause;
    int64_t time;             // nanoseconds
    std::string text, share;  // "1.53ms", and percent of the whole: "12", "<1"
};

// The largest first and what is unexplained last.
std::vector<CauseLine> cause_lines(const Causes& causes, bool plain);
std::string causes_heading(const Causes& causes, bool plain);  // "22.1ms in 20 spans"

// The whole time and how many spans there were, then a line for each cause with time: the time, its share of the whole
// and its title, the largest first and what is unexplained last.
void append_causes(std::string& out, const Causes& causes, bool plain);

// A value of `why` as causes of one call.
Causes causes_of(const Group& why);

// The longest wait of a value of `why`: its time and title, who held the lock and who ended the wait, and a line for
// each frame of its stack. Nothing if there was no wait, or if it is less than a hundredth of the whole.
void append_longest_wait(std::string& out, const Group& why, bool plain);

}  // namespace lt
