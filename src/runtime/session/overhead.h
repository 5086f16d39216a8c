// The cost of a session's programs, from the kernel's measurements; reported during the run, and kept within a budget
// if there is one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/load/object.h"
#include "runtime/maps/maps.h"
#include "runtime/os/descriptor.h"
#include "runtime/session/attached.h"
#include "runtime/session/budget.h"
#include "runtime/session/session.h"

namespace lt {

class Overhead {
  public:
    // Both must outlive it.
    Overhead(const Plan& plan, const LoadedObject& object) : plan_(plan), object_(object) {}

    // Makes the kernel measure every run of every program, which slows each down by some 80 ns in a virtual machine.
    Status begin();
    void end() { asking_ = Descriptor(); }
    bool measures() const { return static_cast<bool>(asking_); }
    // Does the kernel measure now? Without CAP_SYS_ADMIN that depends on a sysctl.
    bool is_measured() const;

    // The cost of each probe since begin() or the last call; `taken` is the rung that each uses.
    TracingCost since_last(const std::vector<size_t>& taken);
    // Since begin().
    TracingCost whole(const std::vector<size_t>& taken) const;

  private:
    using Clock = std::chrono::steady_clock;
    struct Reading {
        std::vector<LoadedObject::Facts> programs;
        Clock::time_point at;
    };
    Reading read() const;
    TracingCost between(const Reading& first, const Reading& second, const std::vector<size_t>& taken) const;

    const Plan& plan_;
    const LoadedObject& object_;
    Descriptor asking_;
    Reading begun_, last_;
};

// Looks at the cost while the session runs. To enforce the budget, it first samples the events of the most expensive
// probe, then detaches it; otherwise it only reports the excess, once.
class OverheadWatch {
  public:
    static constexpr uint64_t period_ns = 1'000'000'000;

    // All must outlive it.
    OverheadWatch(const Plan& plan, LoadedObject& object, Maps& maps, Attached& attached, OverheadOptions options)
        : plan_(plan),
          object_(object),
          maps_(maps),
          attached_(attached),
          options_(std::move(options)),
          one_of_(plan.probes.size(), 1),
          overhead_(plan, object) {}

    // There is something to look at, and someone to report to. If so, call look() every period_ns from begin() on.
    bool is_wanted() const { return options_.tell && attached_.any(); }
    Status begin();
    Status look();
    // Call before the probes are detached: costs() no longer changes.
    void end();
    std::optional<TracingCost> costs() const;  // see Session::costs()

  private:
    // Probes that stay and go together.
    struct Accused {
        Suspect suspect;
        std::string text;
        std::vector<size_t> probes;
    };
    void begin_look();
    void end_look();
    void skip();
    bool notice_setting();
    std::vector<Accused> suspects_of(const TracingCost& cost) const;
    void tell(OverheadNews::What what, const std::vector<Accused>& all, const TracingCost& cost, double budget,
              size_t which = SIZE_MAX, uint64_t one_of = 1) const;
    Status keep_budget(const TracingCost& cost);
    Status set_gates(const std::vector<size_t>& probes, uint64_t share) const;
    Status detach(const std::vector<size_t>& probes);

    const Plan& plan_;
    LoadedObject& object_;
    Maps& maps_;
    Attached& attached_;
    const OverheadOptions options_;
    std::vector<uint64_t> one_of_;  // indexed like Plan::probes: one in so many events is taken
    Overhead overhead_;
    std::optional<TracingCost> whole_cost_;  // set once the probes are detached
    unsigned looks_ = 0;
    bool was_measured_ = true;  // at the last look
    bool above_ = false;        // at the last look
    bool warned_ = false;       // warns only once
};

}  // namespace lt
