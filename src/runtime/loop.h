// One epoll: descriptors and what to do when they are ready.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "descriptor.h"

namespace lt {

class Loop {
  public:
    static Result<Loop> open();

    using Handler = std::function<void()>;
    enum class On : uint8_t {
        readable,
        wakeup,  // readable, told once for each time the kernel says so, however much is left to read
        broken,  // nobody reads any more what we write
    };
    // A descriptor that can not be waited for (a regular file, or none at all) is left out in silence.
    Status add(int fd, On on, Handler handler);

    // A timer of the loop's own.
    Status every(uint64_t period_ns, Handler handler);

    int descriptor() const { return epoll_.get(); }  // readable when something is ready

    // Until something is ready or the time is over; negative: for ever.
    Status wait(int milliseconds);

  private:
    explicit Loop(Descriptor epoll) : epoll_(std::move(epoll)) {}

    Descriptor epoll_;
    std::vector<Handler> handlers_;
    std::vector<Descriptor> timers_;
};

}  // namespace lt
