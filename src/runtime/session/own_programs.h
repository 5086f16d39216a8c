// Programs without an event: those of BEGIN, END, intervals, signals and `self` probes. The session has the kernel run
// them once, on the current CPU, or runs a block of lt's own in this process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/host/host.h"
#include "runtime/load/object.h"
#include "runtime/maps/maps.h"
#include "runtime/print/printer.h"
#include "runtime/session/collect.h"
#include "runtime/session/live_port.h"

namespace lt {

class OwnPrograms {
  public:
    // All must outlive it. `signals`, `hangup_ends`: see LivePort. `interrupted` is called after a signal has ended one
    // of lt's own blocks early.
    OwnPrograms(const Plan& plan, const LoadedObject& object, Maps& maps, Collector& collector, Printer& printer,
                const Impatience* signals, bool hangup_ends, std::function<void()> interrupted)
        : plan_(plan),
          object_(object),
          collector_(collector),
          printer_(printer),
          interrupted_(std::move(interrupted)),
          port_(plan, object, maps, collector, signals, hangup_ends) {}

    Status run(const PlannedProbe& probe);
    // Runs all programs of this kind, in plan order; for When::signal, those for this signal.
    Status run(When when, int signal = 0);
    // Runs the END programs. If errors have ended the run, or end one of these programs, runs the `error` programs
    // instead.
    Status run_last();

  private:
    Status run_here(const PlannedProbe& probe, const std::string& program);

    const Plan& plan_;
    const LoadedObject& object_;
    Collector& collector_;
    Printer& printer_;
    std::function<void()> interrupted_;
    LivePort port_;
    std::unique_ptr<Host> host_;  // opened when a block first runs
};

}  // namespace lt
