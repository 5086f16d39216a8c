// epoll and timerfd.
#include "runtime/os/loop.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>

namespace lt {

namespace {

uint32_t epoll_events(Loop::On on) {
    switch (on) {
        case Loop::On::readable:
            return EPOLLIN;
        case Loop::On::wakeup:
            return EPOLLIN | EPOLLET;
        case Loop::On::broken:
            return 0;  // EPOLLERR and EPOLLHUP are always reported
    }
    return 0;
}

timespec from_ns(uint64_t ns) {
    constexpr uint64_t second = 1'000'000'000;
    return {static_cast<time_t>(ns / second), static_cast<long>(ns % second)};
}

}  // namespace

Result<Loop> Loop::open() {
    Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) return system_error("epoll_create1", errno);
    return Loop(std::move(epoll));
}

Status Loop::add(int fd, On on, Handler handler) {
    epoll_event event{};
    event.events = epoll_events(on);
    event.data.u64 = handlers_.size();
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) < 0) {
        if (errno == EPERM || errno == EBADF) return Done{};
        return system_error("epoll_ctl", errno);
    }
    handlers_.push_back(std::move(handler));
    return Done{};
}

Status Loop::every(uint64_t period_ns, PeriodsHandler handler) {
    Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!timer) return system_error("timerfd_create", errno);
    itimerspec period{from_ns(period_ns), from_ns(period_ns)};
    if (timerfd_settime(timer.get(), 0, &period, nullptr) < 0) return system_error("timerfd_settime", errno);
    int fd = timer.get();
    timers_.push_back(std::move(timer));
    return add(fd, On::readable, [fd, handler = std::move(handler)] {
        uint64_t expirations = 0;
        if (::read(fd, &expirations, sizeof expirations) == sizeof expirations) handler(expirations);
    });
}

Status Loop::wait(int milliseconds) {
    std::array<epoll_event, 16> events;
    int ready = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), milliseconds);
    if (ready < 0 && errno != EINTR) return system_error("epoll_wait", errno);
    for (const epoll_event& event : std::span(events).first(static_cast<size_t>(ready < 0 ? 0 : ready)))
        handlers_[event.data.u64]();
    return Done{};
}

}  // namespace lt
