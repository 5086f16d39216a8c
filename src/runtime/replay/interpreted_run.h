// A plan's programs in lt's own BPF interpreter, with what a session does around them: variables, the blocks at the
// beginning and the end, records, maps, losses. Who uses it decides which programs run, and when. The order of things
// is that of runtime/session/live_session.cpp.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "machine/world/machine.h"
#include "runtime/border/plan.h"
#include "runtime/host/host.h"
#include "runtime/maps/maps.h"
#include "runtime/print/printer.h"
#include "runtime/replay/ports.h"
#include "runtime/session/collect.h"
#include "runtime/session/session.h"

namespace lt {

// The rung by which a probe is attached: the first that nothing rules out; null if there is none.
const Rung* taken_rung(const PlannedProbe& probe);

class InterpretedRun {
  public:
    // `interrupted` is asked during blocks that lt runs itself; true ends such a block. Plan and printer must outlive
    // it.
    InterpretedRun(const Plan& plan, Printer& printer, machine::Machine machine, std::function<bool()> interrupted);
    InterpretedRun(const InterpretedRun&) = delete;
    InterpretedRun& operator=(const InterpretedRun&) = delete;

    machine::Machine& machine() { return machine_; }
    machine::Environment& environment() { return machine_.environment(); }
    Dispatcher& dispatcher() { return dispatcher_; }
    const Dispatcher& dispatcher() const { return dispatcher_; }
    Maps& maps() { return maps_; }

    // Sets what `value` says of each session value, and runs BEGIN.
    Status begin(const std::function<uint64_t(SessionValue)>& value);
    Status run_programs(When when);
    Status run_program(const Rung& rung);
    // Takes the records that programs have written.
    Status drain();
    // END, and the maps that are not empty.
    Status finish();

    bool ended() const { return ended_; }
    void end() { ended_ = true; }

    Result<std::vector<uint8_t>> params() const { return machine_.variable("lt_params"); }
    Status set_params(const std::vector<uint8_t>& bytes) { return machine_.set_variable("lt_params", bytes); }
    std::vector<Loss> losses() const;
    // Of a span, from the books and the maps of openings.
    Result<Session::Account> account(uint32_t span);

  private:
    Status set_session_values(const std::function<uint64_t(SessionValue)>& value);
    bool anything_to_wait_for() const;
    Status run_last();
    std::vector<Frame> frames(const Stack& stack);

    const Plan& plan_;
    Printer& printer_;
    machine::Machine machine_;
    const std::function<bool()> interrupted_;
    Maps maps_;
    Dispatcher dispatcher_;
    std::unique_ptr<HostPort> port_;
    std::unique_ptr<Host> host_;  // made when a block that lt runs is first run
    bool has_ring_ = false;
    bool ended_ = false;
};

}  // namespace lt
