// Why a call was late, from a recording: where its time went, and for each wait, what the thread that ended it had done
// meanwhile, and so on: the chain of waiting.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "recording/recording.h"
#include "recording/timeline.h"
#include "stdlib/causes.h"

namespace lt {

struct Window {
    uint64_t begin, end;
};

// Time of one thread with one cause. The parts of a thread's time add up to it.
struct CausePart {
    Cause cause = Cause::unexplained;
    uint32_t tid = 0;
    uint64_t time = 0;
    uint32_t count = 0;  // of waits
    // Blocked: the thread that ended the wait; preempted: the one that got the CPU; 0: an interrupt, or unknown.
    uint32_t by = 0;
    Waker waker;          // blocked, and no thread ended it
    uint32_t holder = 0;  // of a lock; 0: unknown
    uint32_t lock_flags = 0;
    std::string detail;               // of block I/O: "vda, write, 3 requests"
    uint64_t longest = 0, stack = 0;  // the longest wait, and where that was
    std::string longest_detail;       // of its block I/O
    uint64_t unnamed = 0;             // of Cause::other: the time of waits without a stack
    std::vector<Window> windows;
    std::vector<CausePart> inner;  // what `by` did meanwhile; its times add up to `time`
};

struct Explanation {
    Trigger call;
    std::vector<CausePart> parts;  // longest first; none if the call's span began in another thread
};

constexpr uint32_t most_hops = 10;

class Explainer {
  public:
    explicit Explainer(const Recording& recording);
    Explanation explain(const Trigger& call) const;
    const Timeline& timeline() const { return timeline_; }
    // Where a thread's time went, without the chains of waiting.
    std::vector<CausePart> parts_of(uint32_t tid, Window window) const { return parts(tid, {window}, most_hops); }
    Cause cause_of(const Segment& segment) const;  // of one that is blocked

  private:
    struct Request {
        uint64_t begin, end;
        uint32_t device, tid;
        uint8_t does;  // 0: it reads, 1: it writes, 2: it flushes the device's cache
    };
    std::vector<CausePart> parts(uint32_t tid, const std::vector<Window>& windows, uint32_t hops) const;
    void add_segment(std::vector<CausePart>& parts, uint32_t tid, const Segment& segment, Window window) const;
    void add_running(std::vector<CausePart>& parts, uint32_t tid, const Segment& segment, Window window) const;
    CausePart& part(std::vector<CausePart>& parts, const CausePart& like) const;

    std::string requests_text(uint32_t tid, std::span<const Window> windows) const;

    const Recording& recording_;
    const Timeline timeline_;
    std::vector<Request> requests_;
};

// As text: the causes as `print(why)` has them, the longest wait, then the chain.
std::string explanation_text(const Recording& recording, const Explanation& explanation);

// The threads of an explanation: the late one first, or the one in which a span began that ended in another.
std::vector<uint32_t> threads_of(const Explanation& explanation);

}  // namespace lt
