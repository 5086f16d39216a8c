// One run of a plan in this kernel: load, attach, collect, stop. Everything that the kernel holds for us hangs on
// descriptors that the Session owns, so nothing is left when the process ends, however it ends.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
#include "runtime/border/target.h"
#include "runtime/load/early_maps.h"
#include "runtime/os/start_time.h"
#include "runtime/print/printer.h"
#include "runtime/recorder/keep_options.h"

namespace lt {

// A nonzero loss of one kind.
struct Loss {
    LossKind kind;
    uint32_t subject = 0;
    uint64_t count = 0;
};

// Why a probe's program did not run.
enum class MissKind : uint8_t {
    recursion,  // a program was already running there
    unserved,   // a kprobe or its return: the kernel was handling another one, or too many returns were pending
    late,       // an interval: lt was busy until the next one was due
};

// A nonzero number of events that a probe missed, of the script or lt's own.
struct Missed {
    size_t probe = 0;  // index into Plan::probes
    MissKind kind = MissKind::recursion;
    uint64_t count = 0;
};

enum class Ended : uint8_t { exit_called, enough, time_over, interrupted, output_closed, watched_ended, failed };

// The cost of a probe.
struct ProbeCost {
    uint64_t runs = 0;         // of its programs
    uint64_t run_ns = 0;       // in them, as measured by the kernel
    uint64_t dispatch_ns = 0;  // around them, from the cost of one dispatch (runtime/session/budget.cpp)
    uint64_t total_ns() const { return run_ns + dispatch_ns; }
    ProbeCost& operator+=(const ProbeCost& other) {
        runs += other.runs, run_ns += other.run_ns, dispatch_ns += other.dispatch_ns;
        return *this;
    }
};

struct TracingCost {
    std::vector<ProbeCost> probes;  // indexed like Plan::probes
    double capacity_ns = 0;         // time of all CPUs in the same period
    double share(const ProbeCost& cost) const {
        return capacity_ns > 0 ? static_cast<double>(cost.total_ns()) / capacity_ns : 0;
    }
};

// The cost exceeded the budget, and this is the reaction; or it is not known.
struct OverheadNews {
    enum class What : uint8_t {
        warning,
        sampled,
        detached,
        detached_whole,  // it could not be sampled
        too_late,        // nothing more can be done
        unmeasured,      // the kernel stopped measuring: the other members have no value
        measured,        // it measures again; likewise
    };
    What what = What::warning;
    std::string probe;    // the most expensive one: its text, or its span's
    double total = 0;     // shares of all CPUs' time: of all probes,
    double of_probe = 0;  // of this one,
    double budget = 0;    // and the budget
    uint64_t one_of = 1;  // sampled: one in so many events is taken
};

struct OverheadOptions {
    bool measured = false;  // throughout the run, for costs(); else now and then
    double budget = 0.05;   // of all CPUs' time
    bool enforced = false;  // else exceeding it is only reported, once
    // Set: several sessions share a budget. Called at each look with the session's share; returns what it may cost now.
    std::function<double(double share)> allowance = {};
    std::function<void(const OverheadNews&)> tell = {};  // none: do not look
};

struct SessionOptions {
    // The descriptor that finally receives the printer's bytes: when nothing reads from it any more, the run ends. -1:
    // cannot happen.
    int output = 1;
    bool source_lines = false;                    // user stacks show source lines and inlined functions
    std::vector<std::string> debug_folders = {};  // searched for debug files before /usr/lib/debug
    std::FILE* messages = stderr;                 // for errorf(), warnf() and reports of failed actions
    bool warnings = true;                         // warnf() prints
    bool takes_signals = true;  // SIGINT, SIGTERM and SIGHUP end the run; else the caller handles them
    bool hangup_ends = true;    // where the caller handles them, does a pending SIGHUP end a block that lt runs itself?
    bool process_ends = false;  // after the session: slow closing may be left to another process
    int command = 0;            // the process of -c; 0: there is none
    OverheadOptions overhead = {};
    KeepOptions keep = {};                     // of the flight recorder, for plans that take snapshots
    EarlyMaps* early_maps = nullptr;           // of this plan; null: there are none
    bool unsafe = false;                       // programs may change what they trace; else they are refused
    bool dry = false;                          // attach() is all: nothing is collected, and BEGIN does not run
    std::optional<StartTime> start = {};       // attach() waits until then; none: it begins at once
    std::function<void(int64_t)> awaits = {};  // called with that time once it is known; with 0 when it is over
    // If load() fails because of programs that could be attached in another way, receives them. May be null.
    std::vector<Refusal>* refused = nullptr;
};

class Session {
  public:
    // `plan` and `printer` must outlive the session. Loads every program of the plan; if the verifier refuses one, the
    // Error's `what` is one sentence and its `hint` contains the verifier's log.
    static Result<std::unique_ptr<Session>> load(const Plan& plan, Printer& printer, const SessionOptions& options);
    virtual ~Session() = default;

    // The time to start at, and when all was attached; none: there was no such time.
    virtual std::optional<Started> started() const { return {}; }

    virtual void trace(const Target& target) = 0;  // call before attach()

    // Runs the BEGIN programs, then attaches all probes, each by its first rung that works. If one probe fails,
    // attaches none and returns that probe's refusals. With a time to start at, it first does what is slow and waits
    // until then; if the run ends meanwhile, that is the error.
    virtual std::vector<Refusal> attach() = 0;
    virtual std::optional<Error> attach_error()
        const = 0;  // set if attach() failed for another reason than a refused rung
    // The rung that each probe uses, as an index into its rungs; for -v.
    virtual std::vector<size_t> taken() const = 0;
    // Each location of the probe that the kernel refused while it took others: its name and the reason.
    virtual std::vector<std::string> skipped(size_t probe) const = 0;

    // Calls `work` during the run whenever this descriptor is readable. The caller keeps it open until the end.
    virtual Status watch(int descriptor, std::function<void()> work) = 0;

    // Sets a parameter; programs see it from their next run on.
    virtual Status set_param(size_t index, const std::vector<uint8_t>& bytes) = 0;
    // The current bytes of all parameters; see Plan::params.
    virtual Result<std::vector<uint8_t>> params() const = 0;

    // During the run: a map as print() shows it; clearing a map as clear() does (both by index into Plan::maps); the
    // open instances of a span (by index into Plan::spans).
    virtual Result<MapContent> map(size_t index) = 0;
    virtual Status clear(size_t index) = 0;
    virtual Result<OpenSpans> open_spans(size_t index) = 0;

    // Collects nothing while paused: probes are detached and intervals do not run. Spans stay attached, so that open
    // ones close with their correct times, but none is opened.
    virtual Status pause() = 0;
    virtual Status resume() = 0;

    // Also ends the run when this descriptor becomes readable (a pidfd, for example). The caller keeps it open until
    // then.
    virtual Status end_with(int descriptor) = 0;

    // Ends the run after this time, counted from now.
    virtual Status end_after(uint64_t nanoseconds) = 0;
    // Ends the run after this many results of printf, print and the like. Call before attach().
    virtual void end_after_results(uint64_t count) = 0;

    // Collects events until exit(), SIGINT, SIGTERM, a closed output or the end of what is watched. From load() on, a
    // thread reads those signals; a second one ends the process.
    virtual Ended run() = 0;

    // The same step by step, for several sessions at once: call turn() whenever descriptor() is readable, and at the
    // latest after patience() (milliseconds; negative: no limit). It never blocks, and returns how the run has ended
    // once it has.
    virtual int descriptor() const = 0;
    virtual int patience() const = 0;
    virtual std::optional<Ended> turn() = 0;
    virtual void stop() = 0;  // ends the run, like a signal

    struct Finished {
        std::vector<ResultFact> maps = {};  // that it has printed
        std::optional<Error> failure = {};  // the first one; all that can still be printed is
    };
    // Detaches, runs the END programs, prints what is left in the ring buffer and all maps that are not empty.
    virtual Finished finish() = 0;
    virtual int exit_status() const = 0;  // of exit(status); 0 without it; 1 if errors have ended the run
    // After finish(): had the script called exit(), or printed as many results as end_after_results() says, before END?
    // Something else can have ended the run before such a record was read.
    bool has_happened() const { return has_happened_; }
    virtual uint64_t errors() const = 0;  // uncaught errors of the program at run time
    virtual std::vector<Loss> losses() const = 0;

    // As far as the kernel counts them: since 6.7 it counts all.
    virtual std::vector<Missed> missed() const = 0;

    // The account of each span: opened = closed + open + losses of each kind (see losses()).
    struct Account {
        uint64_t opened = 0;
        uint64_t closed = 0;
        uint64_t open = 0;
        uint64_t left_out = 0;   // openings skipped by sampling
        uint64_t abandoned = 0;  // open when the span was detached
    };
    virtual Result<std::vector<Account>> accounts() const = 0;  // indexed like Plan::spans

    // Since the probes were attached, without the runs that the kernel did not measure; only with
    // OverheadOptions::measured, and none while the kernel does not measure.
    virtual std::optional<TracingCost> costs() const = 0;

    // For --stats: the number of instructions of each program as translated by the kernel, by name.
    struct ProgramFacts {
        std::string name;
        uint32_t instructions = 0;
        uint64_t misses = 0;
    };
    virtual std::vector<ProgramFacts> facts() const = 0;

  protected:
    bool has_happened_ = false;
};

}  // namespace lt
