// Waits for the time to start at.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "base/result.h"
#include "runtime/os/loop.h"
#include "runtime/os/start_time.h"

namespace lt {

class StartWait {
  public:
    // `awaits` is called with that time once it is known, and with 0 when it is over; may be null.
    StartWait(const StartTime& time, std::function<void(int64_t)> awaits) : time_(time), awaits_(std::move(awaits)) {}

    // Serves the loop until then. An error if `goes_on` says no before, which is asked after each event.
    Status wait(Loop& loop, const std::function<bool()>& goes_on);
    void attached();  // everything is: this is how late it was
    std::optional<Started> started() const { return started_; }

  private:
    StartTime time_;
    std::function<void(int64_t)> awaits_;
    std::optional<Started> started_;
};

}  // namespace lt
