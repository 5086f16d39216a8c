// The probes of a plan in the kernel: each attached by the first of its rungs that works, and detached at the end,
// temporarily or for good. A detached probe keeps its events, because closing each takes up to 100 ms; the destructor
// leaves that to the kernel, or to another process if this one ends anyway.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/attach/attach.h"
#include "runtime/border/plan.h"
#include "runtime/border/target.h"
#include "runtime/load/object.h"
#include "runtime/session/session.h"

namespace lt {

class Attached {
  public:
    // Both must outlive it.
    Attached(const Plan& plan, LoadedObject& object) : plan_(plan), object_(object), refused_(object.refusals()) {}
    ~Attached();

    // Opens the events of all probes, then links the programs, then enables the events. If all rungs of a probe are
    // refused, it stops and returns the refusals; nothing stays attached.
    std::vector<Refusal> open(Attacher& attacher);
    enum class Part : uint8_t { all, spans, rest };  // spans: with lt's own accounting
    std::vector<Refusal> link(Attacher& attacher, Part part = Part::all);
    Status enable();

    // Detaches all probes, or these for good. Nothing more is counted as open for their spans.
    void detach();
    void detach_for_good(std::span<const size_t> probes);
    // The run is over: no program does anything any more. Those that take long to detach stay until the destructor.
    void end();
    bool is_detached(size_t probe) const { return taken_[probe].detached; }  // for good
    // Detaches everything except spans and lt's own accounting; no span is opened while paused.
    Status pause();
    Status resume();
    bool is_paused() const { return paused_; }

    void process_ends() { process_ends_ = true; }  // after the destructor

    bool any() const;                   // something is open
    bool on_each_cpu() const;           // some of it for each CPU that was online
    std::vector<size_t> rungs() const;  // the rung that each probe uses
    std::vector<std::string> skipped(size_t probe) const;
    std::vector<Missed> missed() const;  // see Session::missed()
    // The links of iterators that the session reads.
    std::vector<int> iterators() const;

  private:
    // The open hooks of one probe, and the rung they belong to.
    struct Taken {
        size_t rung = 0;
        std::vector<Hook> hooks;
        std::vector<Skipped> skipped;
        bool detached = false;
    };
    bool open_next(Attacher& attacher, size_t probe);
    std::vector<Refusal> refusals_of(size_t probe) const;
    std::vector<size_t> order() const;
    bool pauses(size_t probe) const;
    bool follows_scheduler() const;
    void stop(const std::function<bool(size_t)>& which);
    Status restart();

    const Plan& plan_;
    LoadedObject& object_;
    RungRefusals refused_;
    std::vector<Taken> taken_;  // indexed like Plan::probes
    bool paused_ = false;
    bool process_ends_ = false;
    bool is_over_ = false;
};

}  // namespace lt
