#include "runtime/os/start_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "runtime/os/timestamps.h"

namespace lt {

// The clock can be set meanwhile, so it is read again and again.
Status StartWait::wait(Loop& loop, const std::function<bool()>& goes_on) {
    constexpr int64_t nearly = 2'000'000, millisecond = 1'000'000, look_again = 500;
    started_ = Started{time_.after(unix_now()), 0};
    if (awaits_) awaits_(started_->at);
    Status served = Done{};
    for (int64_t left = 0; served && goes_on() && (left = started_->at - unix_now()) > 0;) {
        if (left > nearly) {
            served = loop.wait(static_cast<int>(std::min((left - nearly) / millisecond + 1, look_again)));
        } else {
            const timespec rest{0, static_cast<long>(left)};
            ::nanosleep(&rest, nullptr);
        }
    }
    if (awaits_) awaits_(0);
    if (!served || goes_on()) return served;
    return Error{fmt::format("the run ended before it was to start, at {}", time_of_day(started_->at)), "", 0};
}

void StartWait::attached() { started_->late = unix_now() - started_->at; }

}  // namespace lt
