// The states of each thread of a recording, without gaps from the first moment that is known to its end: one segment
// follows the other. Then there may be those of another thread that got its number.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace lt {

std::string duration(uint64_t nanoseconds);  // "1.5ms"

enum class SegmentState : uint8_t {
    running,
    preempted,  // it wanted to run, and another thread got the CPU
    woken,      // it can run, and waits for a CPU
    throttled,  // likewise, and its group's CPU quota is used up
    blocked,
    unknown,  // an event of it is missing
};

// Who ended a wait.
struct Waker {
    bool known = false;
    uint32_t tid = 0;  // the thread that was current
    WakeContext context = WakeContext::thread;
    uint32_t vector = 0;  // of a softirq
    bool sends = false;   // that thread had sent the packet which the softirq delivered
    // The thread has to do with the wait; in an interrupt, another one only happened to be current.
    bool is_thread() const { return known && tid != 0 && (context == WakeContext::thread || sends); }
};

struct Segment {
    uint64_t begin = 0, end = 0;
    SegmentState state = SegmentState::unknown;
    uint16_t cpu = 0;    // of running
    uint32_t by = 0;     // of preempted: the thread that got the CPU
    uint64_t stack = 0;  // of blocked and preempted: where; 0: unknown
    Waker waker;         // of blocked
    uint64_t lock = 0;   // of blocked: the kernel's lock; 0: none
    uint32_t lock_flags = 0;
    // The thread that had the lock, of the kernel or of the program; 0: unknown. That of a program's lock is only
    // certain once the wait is over.
    uint32_t holder = 0;
    bool futex = false;
    bool owned = false;  // of a futex: its word had an owner, so it is a lock
};

// An interrupt that a CPU was in.
struct Interruption {
    uint64_t begin, end;
    bool softirq;
};

class Timeline {
  public:
    explicit Timeline(const Recording& recording);

    // In order; empty if nothing is known about the thread.
    std::span<const Segment> of(uint32_t tid) const;
    // Those of a CPU that overlap a time, in order of their ends.
    std::span<const Interruption> interruptions(uint16_t cpu, uint64_t begin, uint64_t end) const;
    std::vector<uint32_t> threads() const;

  private:
    struct Pending {
        uint64_t lock = 0;
        uint32_t flags = 0, holder = 0;
        bool noted = false;  // a wake-up came while the thread was still running
        bool early = false;  // its wait counts as woken because of that, unless another wake-up comes
        bool ended = false;
    };
    struct Thread {
        std::vector<Segment> segments;  // the last one is open, unless the thread is over
        Pending pending;
        bool over = false;
    };
    void take(const Record& record);
    void switched(const Record& record);
    void woken(const Record& record);
    void lock(const Record& record);
    void futex(const Record& record);
    void interrupted(const Record& record);
    void forked(const Record& record);
    void renamed(const Record& record);
    Thread& seen(uint32_t tid, SegmentState state, uint16_t cpu, uint64_t time);
    Segment& turn(Thread& thread, uint64_t time, SegmentState next);
    static void end(Thread& thread, uint64_t time);
    void close();

    const Recording& recording_;
    std::map<uint32_t, Thread> threads_;
    std::vector<std::vector<Interruption>> cpus_;
    std::vector<uint64_t> last_switch_;  // of each CPU; 0: none yet
    std::vector<uint32_t> current_;      // the thread that each CPU switched to then
};

}  // namespace lt
