// The value of --at.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "runtime/os/start_time.h"

namespace lt {

// "/10s", "14:30", "14:30:05", "2026-11-27T14:30:05", all of them but the first perhaps with a Z for UTC. A time of day
// is the next one after `now` (nanoseconds since 1970); a date that is over is an error.
Result<StartTime> read_start(const std::string& text, int64_t now);

}  // namespace lt
