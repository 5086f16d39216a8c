// When a run begins to collect, by the wall clock, so that runs on many machines begin together.
#pragma once

#include <cstdint>
#include <string>

namespace lt {

// Times are nanoseconds since 1970.
struct StartTime {
    int64_t period = 0;  // the next multiple of it, in UTC; 0: `time`
    int64_t time = 0;

    int64_t after(int64_t now) const { return period > 0 ? (now / period + 1) * period : time; }
};

// A run that was started so.
struct Started {
    int64_t at = 0;    // the time at which it was to begin
    int64_t late = 0;  // how much later everything was attached
    bool operator==(const Started&) const = default;
};

// In local time, with fractions of a second only if there are some: "14:03:10", "14:03:10.250".
std::string time_of_day(int64_t time);

// Has something set this machine's clock by another one, as NTP does, and is that still true?
bool clock_is_synchronized();

}  // namespace lt
