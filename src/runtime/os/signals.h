// Reads the signals that end a run from a descriptor instead of being interrupted; a second signal ends the process.
#pragma once

#include <signal.h>

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

// While this exists, a second signal ends the process at once, whatever its threads are waiting for. A signal that
// arrives together with the first does not count: timeout(1) signals the process and then its group.
class Impatience {
  public:
    // `signals` must outlive it.
    static Result<std::unique_ptr<Impatience>> watch(const Signals& signals);
    ~Impatience();
    Impatience(const Impatience&) = delete;
    Impatience& operator=(const Impatience&) = delete;

  private:
    Impatience(const Signals& signals, Descriptor stop);
    void wait() const;

    const Signals& signals_;
    Descriptor stop_;
    std::chrono::steady_clock::time_point began_;
    std::thread thread_;
};

}  // namespace lt
