// An epoll loop: descriptors and what to do when they are ready.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/result.h"
#include "runtime/os/descriptor.h"

namespace lt {

class Loop {
  public:
    static Result<Loop> open();

    using Handler = std::function<void()>;
    enum class On : uint8_t {
        readable,
        wakeup,  // readable, reported once per kernel wakeup, however much is left to read
        broken,  // nothing reads our output any more
    };
    // A descriptor that does not support epoll (a regular file, or none) is silently ignored.
    Status add(int fd, On on, Handler handler);

    // Adds a timer. The handler gets how many periods have ended since it was last called: more than 1 if the loop was
    // busy.
    using PeriodsHandler = std::function<void(uint64_t)>;
    Status every(uint64_t period_ns, PeriodsHandler handler);

    int descriptor() const { return epoll_.get(); }  // readable when something is ready

    // Waits until something is ready or the time is over; negative: no limit.
    Status wait(int milliseconds);

  private:
    explicit Loop(Descriptor epoll) : epoll_(std::move(epoll)) {}

    Descriptor epoll_;
    std::deque<Handler> handlers_;  // a handler that adds one stays where it is
    std::vector<Descriptor> timers_;
};

}  // namespace lt
