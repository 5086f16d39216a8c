// The session: owner of all the parts, in the order in which they depend on one another. How it attaches and pauses is
// in session_attach.cpp, the rest in session.cpp.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attach.h"
#include "budget.h"
#include "collect.h"
#include "family.h"
#include "host.h"
#include "live_port.h"
#include "loop.h"
#include "maps.h"
#include "object.h"
#include "overhead.h"
#include "runtime/session.h"
#include "signals.h"
#include "timeouts.h"

namespace lt {

// What is open for one probe, and the rung it is from.
struct Taken {
    size_t rung = 0;
    std::vector<Hook> hooks;
    std::vector<Skipped> skipped;
    uint64_t unserved = 0;  // as the links told before they were closed
    bool detached = false;  // for what it cost
};

class LiveSession final : public Session {
  public:
    using Clock = std::chrono::steady_clock;

    LiveSession(const Plan& plan, Printer& printer, std::optional<Signals> signals, Loop loop, LoadedObject object,
                Maps maps)
        : plan_(plan),
          printer_(printer),
          signals_(std::move(signals)),
          loop_(std::move(loop)),
          object_(std::move(object)),
          maps_(std::move(maps)),
          refused_(object_.refusals()) {}

    ~LiveSession() override;

    Status prepare(const SessionOptions& options);
    void trace(const Target& target) override { target_ = target; }

    std::vector<Refusal> attach() override;
    std::optional<Error> attach_error() const override { return attach_error_; }
    std::vector<size_t> taken() const override;
    std::vector<std::string> skipped(size_t probe) const override;
    Status watch(int descriptor, std::function<void()> work) override;
    Status set_param(size_t index, const std::vector<uint8_t>& bytes) override;
    Status end_with(int descriptor) override;
    Status end_after(uint64_t nanoseconds) override;
    void end_after_results(uint64_t count) override { collector_->end_after(count); }
    Result<std::vector<uint8_t>> params() const override { return object_.params(); }
    Result<MapContent> map(size_t index) override { return collector_->map(index); }
    Status clear(size_t index) override { return maps_.clear(index, false); }
    Result<OpenSpans> open_spans(size_t index) override { return collector_->open_spans(index); }
    Status pause() override;
    Status resume() override;
    Ended run() override;
    int descriptor() const override { return loop_.descriptor(); }
    int patience() const override;
    std::optional<Ended> turn() override;
    void stop() override { end(Ended::interrupted); }
    Status finish() override;
    int exit_status() const override { return collector_->exit_status(); }
    uint64_t errors() const override { return collector_->errors(); }
    std::vector<Loss> losses() const override;
    std::vector<Missed> missed() const override;
    Result<std::vector<Account>> accounts() const override;
    std::vector<ProgramFacts> facts() const override;
    std::optional<TracingCost> costs() const override;

  private:
    Status run_programs(When when, int signal = 0);
    Status run_last_programs();
    Status run_program(const PlannedProbe& probe);
    Status run_here(const PlannedProbe& probe, const std::string& program);
    std::vector<Refusal> refusals_of(size_t probe) const;
    bool open_next(Attacher& attacher, size_t probe);
    std::vector<Refusal> open_all(Attacher& attacher);
    std::vector<size_t> attach_order() const;
    std::vector<Refusal> link_all(Attacher& attacher);
    Status start();
    Status start_periods();
    Status await_signals();
    Status run_iterators();
    bool anything_to_wait_for() const;
    void begin_run();
    void wait(int milliseconds);
    bool pauses(size_t probe) const;
    void drain();
    void end(Ended how);
    void detach();

    // session_overhead.cpp
    struct Accused {
        Suspect suspect;
        std::string text;
        std::vector<size_t> probes;
    };
    Status watch_overhead();
    void look_at_overhead();
    void begin_look();
    void end_look();
    void overhead_paused();
    std::vector<Accused> suspects_of(const TracingCost& cost) const;
    void tell_overhead(OverheadNews::What what, const std::vector<Accused>& all, const TracingCost& cost,
                       size_t which = SIZE_MAX, uint64_t one_of = 1);
    void keep_budget(const TracingCost& cost);
    Status sample(const std::vector<size_t>& probes, uint64_t one_of);
    Status set_gates(const std::vector<size_t>& probes, uint64_t share);
    Status detach_probes(const std::vector<size_t>& probes);

    const Plan& plan_;
    Printer& printer_;
    std::optional<Signals> signals_;  // none: they are somebody else's
    std::vector<Signals> awaited_;    // one for each signal that probes are about
    Target target_;
    std::unique_ptr<Impatience> impatience_;  // from finish() on, also while the events below are closed
    Loop loop_;
    LoadedObject object_;
    Maps maps_;
    std::unique_ptr<Collector> collector_;
    std::unique_ptr<LivePort> port_;
    std::unique_ptr<Host> host_;  // made when a block that lt runs is first run
    RungRefusals refused_;
    Family family_{-1};
    std::vector<Descriptor> counters_;  // Plan::counters, on each CPU
    std::vector<Taken> taken_;          // indexed as Plan::probes
    Timeouts timeouts_{plan_, object_};
    std::optional<Error> attach_error_;
    std::optional<Error> failure_;
    std::optional<Ended> ended_;
    Clock::time_point last_record_ = Clock::now();
    OverheadOptions overhead_options_;
    bool dry_ = false;  // nothing is to run
    Overhead overhead_{plan_, object_};
    std::optional<TracingCost> whole_cost_;  // since the probes are detached
    std::vector<uint64_t> one_of_;           // indexed as Plan::probes: so many events is taken
    unsigned looks_ = 0;
    bool above_ = false;   // at the last look
    bool warned_ = false;  // once is enough
    bool more_to_drain_ = false;
    bool watched_ = false;
    bool running_ = false;
    bool paused_ = false;
};

}  // namespace lt
