// A session without a kernel: the plan's programs in the interpreter, attached by the first rung that the plan does not
// rule out, and what they hand over printed as a session prints it.
#pragma once

#include <map>
#include <vector>

#include "base/result.h"
#include "machine/scenario.h"
#include "machine/world/machine.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
#include "runtime/print/printer.h"
#include "runtime/replay/interpreted_run.h"

namespace lt::machine {

class Simulation {
  public:
    // All but the machine outlive it.
    Simulation(const Plan& plan, Kernel& kernel, Printer& printer, Machine machine);
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    // BEGIN, the steps until the run ends, END, the maps. An error of a step says its line.
    Status run(const std::vector<Step>& scenario);
    std::vector<Loss> losses() const { return run_.losses(); }
    Result<Session::Account> account(uint32_t span) { return run_.account(span); }

  private:
    Status take(const Step& step);
    Status apply(const Change& change);
    Status apply(const Text& text);
    Status apply(const RingSize& ring);
    Status apply(const Sample& sample);
    Status apply(const Hit& hit);
    Status apply(const ThreadExit&);
    Status run_all(const Hit& hit);
    Status apply(const CallStack& stack);
    Status apply(const Interval&);
    Status apply(const Interrupt&);

    Status run_hit(Way way, const Attachment& attachment, const Hit& hit);

    const Plan& plan_;
    Kernel& kernel_;
    InterpretedRun run_;
    std::map<uint32_t, uint64_t> depths_;  // by thread: calls that it is inside
};

}  // namespace lt::machine
