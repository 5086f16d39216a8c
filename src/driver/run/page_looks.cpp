#include "driver/run/page_looks.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

#include "driver/report/history.h"
#include "runtime/border/internal_map.h"

namespace lt {

PageLooks::PageLooks(Page& page, const Plan& plan, Session& session) : page_(page), session_(session) {
    for (size_t i = 0; i < plan.maps.size(); i++)
        if (Heat::draws(plan.maps[i].value) && History::keeps(plan.maps[i]) && !is_internal(plan.maps[i]))
            maps_.push_back(i);
}

Status PageLooks::wake_each(std::chrono::nanoseconds period) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(period);
    const timespec each{seconds.count(), (period - seconds).count()};
    const itimerspec times{each, each};
    return timerfd_settime(timer_.get(), 0, &times, nullptr) == 0 ? Status(Done{}) : system_error("timerfd", errno);
}

Status PageLooks::start() {
    page_.begin(Heat::Clock::now());
    if (maps_.empty()) return Done{};
    timer_ = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!timer_) return system_error("timerfd", errno);
    if (Status timed = wake_each(period_); !timed) return timed;
    return session_.watch(timer_.get(), [this] {
        uint64_t times = 0;
        if (::read(timer_.get(), &times, sizeof times) != sizeof times) return;
        look();
    });
}

// A map of very many keys is looked at less often, so that it takes less than a twentieth of a CPU.
void PageLooks::look() {
    const auto begin = Heat::Clock::now();
    for (const size_t map : maps_)
        if (const Result<MapContent> content = session_.map(map)) page_.look(*content, begin);
    if (20 * (Heat::Clock::now() - begin) <= period_) return;
    period_ *= 2;
    static_cast<void>(wake_each(period_));  // else the old period stays
}

}  // namespace lt
