// signalfd, and a thread that reads it.
#include "runtime/os/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace lt {

namespace {

bool is_ignored(int signal) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

int read_signal(int fd) {
    signalfd_siginfo info{};
    return ::read(fd, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

[[noreturn]] void end_by(int signal) {
    ::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    ::raise(signal);  // pending for this thread until unblocked
    pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
    _exit(128 + signal);
}

}  // namespace

Result<Signals> Signals::block() {
    std::vector<int> ending{SIGINT, SIGTERM};
    if (!is_ignored(SIGHUP)) ending.push_back(SIGHUP);
    return block(ending);
}

Result<Signals> Signals::block(std::span<const int> signals) {
    sigset_t set, mask;
    sigemptyset(&set);
    for (int signal : signals) sigaddset(&set, signal);
    Descriptor fd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!fd) return system_error("signalfd", errno);
    pthread_sigmask(SIG_BLOCK, &set, &mask);
    struct sigaction ignore{}, pipe{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &pipe);
    return Signals(std::move(fd), mask, pipe);
}

Signals::~Signals() {
    if (!fd_) return;  // moved from
    sigaction(SIGPIPE, &pipe_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

int Signals::next() const { return read_signal(fd_.get()); }

NoSignals::NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
}

NoSignals::~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Result<std::unique_ptr<Impatience>> Impatience::watch(const Signals& signals) {
    Descriptor stop(eventfd(0, EFD_CLOEXEC)), passed(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!stop || !passed) return system_error("eventfd", errno);
    try {
        return std::unique_ptr<Impatience>(new Impatience(signals.descriptor(), std::move(stop), std::move(passed)));
    } catch (const std::system_error& failed) {
        return system_error("cannot start a thread", failed.code().value());
    }
}

// Its thread is not interrupted by any signal: a script may handle others, which are blocked later.
Impatience::Impatience(int signals, Descriptor stop, Descriptor passed)
    : signals_(signals), stop_(std::move(stop)), passed_(std::move(passed)) {
    const NoSignals none;
    thread_ = std::thread([this] { wait(); });
}

// The signal is still blocked. Without a run that it could end, it acts as it would have without a reader.
Impatience::~Impatience() {
    eventfd_write(stop_.get(), 1);
    thread_.join();
    if (first_ != 0 && !taken_) ::kill(::getpid(), first_);
}

bool Impatience::waits() const {
    pollfd passed{passed_.get(), POLLIN, 0};
    return !taken_ && ::poll(&passed, 1, 0) > 0;
}

bool Impatience::take() {
    eventfd_t count = 0;
    if (::eventfd_read(passed_.get(), &count) < 0) return false;
    taken_ = true;
    return true;
}

void Impatience::run_is_over() {
    Clock::time_point not_yet;
    first_at_.compare_exchange_strong(not_yet, Clock::now());
    taken_ = true;
}

// The first one is passed on before it is read: a process that no longer has it pending knows of it.
void Impatience::wait() {
    constexpr auto same_moment = std::chrono::milliseconds(100);
    std::array<pollfd, 2> both{pollfd{signals_, POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
    for (;;) {
        ::poll(both.data(), both.size(), -1);
        if (both[1].revents != 0) return;
        if (both[0].revents == 0) continue;
        const Clock::time_point now = Clock::now();
        Clock::time_point first;
        const bool is_first = first_at_.compare_exchange_strong(first, now);
        if (is_first) eventfd_write(passed_.get(), 1);
        const int signal = read_signal(signals_);
        if (is_first)
            first_ = signal;
        else if (signal != 0 && now - first >= same_moment)
            end_by(signal);
    }
}

}  // namespace lt
