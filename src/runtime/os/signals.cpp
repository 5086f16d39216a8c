// signalfd for the first signal, a thread for the second.
#include "runtime/os/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace lt {

namespace {

bool is_ignored(int signal) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    return action.sa_handler == SIG_IGN;
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

int Signals::next() const {
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != sizeof info) return 0;
    return static_cast<int>(info.ssi_signo);
}

Result<std::unique_ptr<Impatience>> Impatience::watch(const Signals& signals) {
    Descriptor stop(eventfd(0, EFD_CLOEXEC));
    if (!stop) return system_error("eventfd", errno);
    return std::unique_ptr<Impatience>(new Impatience(signals, std::move(stop)));
}

Impatience::Impatience(const Signals& signals, Descriptor stop)
    : signals_(signals),
      stop_(std::move(stop)),
      began_(std::chrono::steady_clock::now()),
      thread_([this] { wait(); }) {}

Impatience::~Impatience() {
    eventfd_write(stop_.get(), 1);
    thread_.join();
}

void Impatience::wait() const {
    constexpr auto same_moment = std::chrono::milliseconds(100);
    std::array<pollfd, 2> both{pollfd{signals_.descriptor(), POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
    for (;;) {
        ::poll(both.data(), both.size(), -1);
        if (both[1].revents != 0) return;
        int signal = signals_.next();
        if (signal != 0 && std::chrono::steady_clock::now() - began_ >= same_moment) end_by(signal);
    }
}

}  // namespace lt
