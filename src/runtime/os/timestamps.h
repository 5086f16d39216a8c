// Clocks, and times of day for output.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace lt {

// Nanoseconds that the clock shows.
uint64_t clock_now(clockid_t clock);
inline uint64_t monotonic_now() { return clock_now(CLOCK_MONOTONIC); }  // as bpf_ktime_get_ns

int64_t unix_now();  // nanoseconds since 1970

// The calendar time (by the current setting) at which the monotonic clock showed this value, in nanoseconds.
int64_t unix_time(uint64_t monotonic);

// "14:03:05.000123", in the local time zone.
std::string clock_text(int64_t unix_time);

// In a format of strftime(3), in the local time zone; at most 63 bytes.
std::string date_text(const char* format, int64_t unix_time = unix_now());

}  // namespace lt
