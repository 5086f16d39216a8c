// The session: owner of all the parts, in the order of their dependencies.
#pragma once

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/load/object.h"
#include "runtime/maps/maps.h"
#include "runtime/os/cpus.h"
#include "runtime/os/loop.h"
#include "runtime/os/signals.h"
#include "runtime/os/start_wait.h"
#include "runtime/recorder/snapshots.h"
#include "runtime/session/attached.h"
#include "runtime/session/collect.h"
#include "runtime/session/family.h"
#include "runtime/session/overhead.h"
#include "runtime/session/own_programs.h"
#include "runtime/session/session.h"
#include "runtime/session/timeouts.h"

namespace lt {

class LiveSession final : public Session {
  public:
    using Clock = std::chrono::steady_clock;

    LiveSession(const Plan& plan, Printer& printer, std::optional<Signals> signals,
                std::unique_ptr<Impatience> impatience, Loop loop, LoadedObject object, Maps maps)
        : plan_(plan),
          printer_(printer),
          signals_(std::move(signals)),
          impatience_(std::move(impatience)),
          loop_(std::move(loop)),
          object_(std::move(object)),
          maps_(std::move(maps)) {}

    Status prepare(const SessionOptions& options);
    void trace(const Target& target) override { target_ = target; }

    std::vector<Refusal> attach() override;
    std::optional<Error> attach_error() const override { return attach_error_; }
    std::vector<size_t> taken() const override { return attached_.rungs(); }
    std::vector<std::string> skipped(size_t probe) const override { return attached_.skipped(probe); }
    Status watch(int descriptor, std::function<void()> work) override;
    Status set_param(size_t index, const std::vector<uint8_t>& bytes) override;
    Status end_with(int descriptor) override;
    Status end_after(uint64_t nanoseconds) override;
    void end_after_results(uint64_t count) override { collector_->end_after(count); }
    Result<std::vector<uint8_t>> params() const override { return object_.params(); }
    Result<MapContent> map(size_t index) override { return collector_->map(index); }
    Status clear(size_t index) override { return maps_.clear(index, false); }
    Result<OpenSpans> open_spans(size_t index) override { return collector_->open_spans(index); }
    Status pause() override { return attached_.pause(); }
    Status resume() override { return attached_.resume(); }
    Ended run() override;
    int descriptor() const override { return loop_.descriptor(); }
    int patience() const override;
    std::optional<Ended> turn() override;
    void stop() override { end(Ended::interrupted); }
    Finished finish() override;
    int exit_status() const override { return collector_->exit_status(); }
    uint64_t errors() const override { return collector_->errors(); }
    std::vector<Loss> losses() const override;
    std::vector<Missed> missed() const override;
    Result<std::vector<Account>> accounts() const override;
    std::vector<ProgramFacts> facts() const override;
    std::optional<Started> started() const override { return start_wait_ ? start_wait_->started() : std::nullopt; }
    std::optional<TracingCost> costs() const override { return overhead_->costs(); }

  private:
    Status start();
    Status await_signals();
    Status run_iterators();
    void begin_run();
    void wait(int milliseconds);
    void drain();
    void end(Ended how);
    void fail_unless(const Status& done);  // ends the run

    const Plan& plan_;
    Printer& printer_;
    std::optional<Signals> signals_;          // empty: another session or the caller handles them
    std::unique_ptr<Impatience> impatience_;  // reads them, including while the events below are closed; or null
    std::vector<Signals> awaited_;            // one for each signal that has probes
    Target target_;
    Loop loop_;
    LoadedObject object_;
    Maps maps_;
    std::unique_ptr<Snapshots> snapshots_;  // null: the script takes none
    std::unique_ptr<Collector> collector_;
    std::optional<OwnPrograms> own_;
    ProcessFamily family_{-1};
    std::vector<Descriptor> counters_;  // Plan::counters, on each CPU
    std::optional<CpuWatch> cpus_;      // none: nothing is open on each CPU
    Attached attached_{plan_, object_};
    Timeouts timeouts_{plan_, object_};
    std::vector<uint64_t> deleted_calls_;  // whose process has ended, by span
    std::optional<OverheadWatch> overhead_;
    std::optional<Error> attach_error_;
    std::optional<Error> failure_;
    std::optional<Ended> ended_;
    Clock::time_point last_record_ = Clock::now();
    std::map<size_t, uint64_t> late_;      // by probe: periods of intervals that ended while lt was busy
    std::optional<StartWait> start_wait_;  // none: it begins at once
    std::FILE* warnings_ = nullptr;        // where they go; null: nowhere
    bool dry_ = false;                     // ends once all is attached
    bool may_change_ = false;              // programs may change what they trace
    bool more_to_drain_ = false;
    bool watched_ = false;  // something other than a probe ends the run
    bool running_ = false;
};

}  // namespace lt
