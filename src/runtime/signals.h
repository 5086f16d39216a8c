// The signals that end a run, read from a descriptor instead of interrupting it; and the second one, which ends the
// process.
#pragma once

#include <signal.h>

#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "base/result.h"
#include "descriptor.h"

namespace lt {

// Blocks SIGINT, SIGTERM and SIGHUP (not a SIGHUP that is ignored, as under nohup) and ignores SIGPIPE, until it is
// destroyed. Children inherit the mask: who starts one sets its own.
class Signals {
  public:
    static Result<Signals> block();
    // These only, for a script that waits for them.
    static Result<Signals> block(std::span<const int> signals);
    Signals(Signals&&) noexcept = default;
    Signals& operator=(Signals&&) = delete;
    ~Signals();

    int descriptor() const { return fd_.get(); }
    int next() const;  // takes a pending one; 0: none

  private:
    Signals(Descriptor fd, sigset_t mask, struct sigaction pipe) : fd_(std::move(fd)), mask_(mask), pipe_(pipe) {}

    Descriptor fd_;
    sigset_t mask_;          // as before
    struct sigaction pipe_;  // as before
};

// As long as it lives, a further signal ends the process at once, whatever its threads are waiting for. One that comes
// with the first is no further one: timeout(1) sends to the process and then to its group.
class Impatience {
  public:
    // `signals` outlives it.
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
