// Times of day for what is printed.
#pragma once

#include <cstdint>
#include <string>

namespace lt {

int64_t unix_now();  // nanoseconds since 1970

// What the kernel's monotonic clock showed (in nanoseconds), on the calendar's as it is set now.
int64_t unix_time(uint64_t monotonic);

// "14:03:05.000123", in the local time zone.
std::string clock_text(int64_t unix_time);

}  // namespace lt
