#include "driver/view/live_view.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace lt {

Result<std::unique_ptr<LiveView>> LiveView::open() {
    std::unique_ptr<LiveView> live(new LiveView);
    live->timer_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    const itimerspec period{{1, 0}, {1, 0}};
    if (live->timer_ < 0 || timerfd_settime(live->timer_, 0, &period, nullptr) < 0)
        return system_error("timerfd", errno);
    return live;
}

LiveView::~LiveView() {
    if (timer_ >= 0) close(timer_);
}

void LiveView::show(Traces& traces) {
    screen_.set_view([this, &traces](Screen::Size room) { return maps_.draw(traces, room); });
    screen_.show();
}

void LiveView::tick() {
    uint64_t times = 0;
    if (read(timer_, &times, sizeof times) == sizeof times) screen_.show();
}

void LiveView::end() { screen_.take_away(); }

}  // namespace lt
