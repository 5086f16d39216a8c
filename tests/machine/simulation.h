// A session without a kernel: the plan's programs in the interpreter, attached by the first rung that the plan does not
// rule out, and what they hand over printed as a session prints it. The order of things is that of
// runtime/session/live_session.cpp.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "machine/scenario.h"
#include "maps.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
#include "runtime/host/host.h"
#include "runtime/print/printer.h"
#include "runtime/session/collect.h"
#include "runtime/session/session.h"

namespace lt::machine {

class Simulation {
  public:
    // All but the machine outlive it.
    Simulation(const Plan& plan, Kernel& kernel, Printer& printer, Machine machine);
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    // BEGIN, the steps until the run ends, END, the maps. An error of a step says its line.
    Status run(const std::vector<Step>& scenario);
    std::vector<Loss> losses() const;
    // What became of a span, as the books and the maps of openings have it.
    Result<Session::Account> account(uint32_t span);

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

    Status set_session_values();
    Status begin();
    Status finish();
    Status run_programs(When when);
    Status run_hit(Way way, const Attachment& attachment, const Hit& hit);
    bool anything_to_wait_for() const;
    Status drain();

    Status run_program(const Rung& rung);
    std::vector<Frame> frames(const Stack& stack);

    const Plan& plan_;
    Kernel& kernel_;
    Printer& printer_;
    Machine machine_;
    std::map<uint32_t, uint64_t> depths_;  // by thread: calls that it is inside
    Maps maps_;
    Dispatcher dispatcher_;
    std::unique_ptr<HostPort> port_;
    std::unique_ptr<Host> host_;  // made when a block that lt runs is first run
    bool has_ring_ = false;
    bool ended_ = false;
};

}  // namespace lt::machine
