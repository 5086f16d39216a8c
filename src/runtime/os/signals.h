// Reads the signals that end a run from a descriptor instead of being interrupted; a second signal ends the process.
#pragma once

#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "base/result.h"
#include "runtime/os/descriptor.h"

namespace lt {

// Blocks SIGINT, SIGTERM and SIGHUP (unless SIGHUP is ignored, as under nohup) and ignores SIGPIPE, until destroyed.
// Children inherit the mask, so the code that starts one must set its own.
class Signals {
  public:
    static Result<Signals> block();
    // Only these, for a script that handles them.
    static Result<Signals> block(std::span<const int> signals);
    Signals(Signals&&) noexcept = default;
    Signals& operator=(Signals&&) = delete;
    ~Signals();

    int descriptor() const { return fd_.get(); }
    int next() const;  // takes a pending signal; 0: none

  private:
    Signals(Descriptor fd, sigset_t mask, struct sigaction pipe) : fd_(std::move(fd)), mask_(mask), pipe_(pipe) {}

    Descriptor fd_;
    sigset_t mask_;          // previous mask
    struct sigaction pipe_;  // previous action
};

// Blocks all signals of this thread until destroyed: a thread that is started meanwhile never takes one.
class NoSignals {
  public:
    NoSignals();
    ~NoSignals();
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

  private:
    sigset_t before_;
};

// Takes the signals in a thread of its own: two that wait for a busy reader would become one. The first is passed on. A
// second one ends the process at once, whatever its threads are waiting for. A signal that arrives together with the
// first does not count: timeout(1) signals the process and then its group.
class Impatience {
  public:
    // From here on only it reads `signals`, which must outlive it and may be moved.
    static Result<std::unique_ptr<Impatience>> watch(const Signals& signals);
    ~Impatience();  // sends the first signal again if it was not taken
    Impatience(const Impatience&) = delete;
    Impatience& operator=(const Impatience&) = delete;

    int descriptor() const { return passed_.get(); }  // readable if the first signal waits to be taken
    bool waits() const;                               // does it?
    bool take();                                      // false: it does not
    void run_is_over();                               // from here on each signal is a second one

  private:
    using Clock = std::chrono::steady_clock;

    Impatience(int signals, Descriptor stop, Descriptor passed);
    void wait();

    const int signals_;
    const Descriptor stop_, passed_;             // eventfds
    std::atomic<Clock::time_point> first_at_{};  // the epoch: not yet
    int first_ = 0;                              // the signal; only its thread uses it while that runs
    bool taken_ = false;
    std::thread thread_;
};

}  // namespace lt
