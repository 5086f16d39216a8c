// One run of a plan in this kernel: load, attach, collect, stop. All that the kernel holds for us hangs on descriptors
// that the Session owns, so the end of the process, however it comes, leaves nothing behind.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"
#include "runtime/printer.h"

namespace lt {

// A rung that the kernel refused when it was tried.
struct Refusal {
    size_t probe = 0;  // index into Plan::probes
    Way way = Way::run;
    std::string why;
};

// A loss of one kind, more than none.
struct Loss {
    LossKind kind;
    uint32_t subject = 0;
    uint64_t count = 0;
};

// Why the kernel did not run a program where a probe asked for it.
enum class MissKind : uint8_t {
    recursion,  // a program was running there already
    unserved,   // a kprobe or its return: while the kernel handled another one, or more returns waited than it keeps
};

// Events that a probe of the script did not see, more than none.
struct Missed {
    size_t probe = 0;  // index into Plan::probes
    MissKind kind = MissKind::recursion;
    uint64_t count = 0;
};

enum class Ended : uint8_t { exit_called, enough, time_over, interrupted, output_closed, watched_ended, failed };

// What a probe has cost.
struct ProbeCost {
    uint64_t runs = 0;         // of its programs
    uint64_t run_ns = 0;       // in them, as the kernel has measured it
    uint64_t dispatch_ns = 0;  // around them, by what one dispatch costs (runtime/budget.cpp)
    uint64_t total_ns() const { return run_ns + dispatch_ns; }
    ProbeCost& operator+=(const ProbeCost& other) {
        runs += other.runs, run_ns += other.run_ns, dispatch_ns += other.dispatch_ns;
        return *this;
    }
};

struct TracingCost {
    std::vector<ProbeCost> probes;  // indexed as Plan::probes
    double capacity_ns = 0;         // the time of all CPUs meanwhile
    double share(const ProbeCost& cost) const {
        return capacity_ns > 0 ? static_cast<double>(cost.total_ns()) / capacity_ns : 0;
    }
};

// It costs more than it may, and this was done about it.
struct OverheadNews {
    enum class What : uint8_t {
        warning,
        sampled,
        detached,
        detached_whole,  // it could not be sampled
        too_late,        // nothing is left to be done
    };
    What what = What::warning;
    std::string probe;    // the costliest: its text, or its span's
    double total = 0;     // shares of all CPUs' time: of all probes,
    double of_probe = 0;  // of this one,
    double budget = 0;    // and what is allowed
    uint64_t one_of = 1;  // sampled: so many events is taken
};

struct OverheadOptions {
    bool measured = false;                               // throughout the run, for costs(); else now and then
    double budget = 0.05;                                // of all CPUs' time
    bool enforced = false;                               // else it is only told, once
    std::function<void(const OverheadNews&)> tell = {};  // none: nobody looks
};

struct SessionOptions {
    // The descriptor to which the printer's bytes go in the end: when nobody reads from it any more, the run ends; -1:
    // it cannot happen.
    int output = 1;
    bool source_lines = false;                    // stacks of programs show lines of source and inlined functions
    std::vector<std::string> debug_folders = {};  // in which debug files are looked for before /usr/lib/debug
    std::FILE* messages = stderr;  // where errorf() and warnf() write, and what could not be done is told
    bool warnings = true;          // does warnf() write anything?
    bool takes_signals = true;     // SIGINT, SIGTERM and SIGHUP end the run; else they are somebody else's
    int command = 0;               // the process of -c; 0: there is none
    OverheadOptions overhead = {};
    bool dry = false;  // attach() is all: no program is to run, BEGIN neither
};

// The process that is traced: memory is watched in this one.
struct Target {
    int process = 0;      // 0: none
    bool bound = false;   // what the kernel can bind to a process is bound to it
    bool starts = false;  // the command of -c, which is yet to be executed: before that its memory is lt's
};

class Session {
  public:
    // `plan` and `printer` outlive the session. Loads every program of the plan; a refusal of the verifier is an Error
    // whose `what` is one sentence and whose `hint` holds the verifier's log.
    static Result<std::unique_ptr<Session>> load(const Plan& plan, Printer& printer, const SessionOptions& options);
    virtual ~Session() = default;

    virtual void trace(const Target& target) = 0;  // before attach()

    // Runs the BEGIN programs, then attaches all probes, each by its first rung that works; or none, with what was
    // refused by the one that failed.
    virtual std::vector<Refusal> attach() = 0;
    virtual std::optional<Error> attach_error()
        const = 0;  // when attach() failed for another reason than a refused rung
    // The rung taken by each probe, index into its rungs; for -v.
    virtual std::vector<size_t> taken() const = 0;
    // For each of the probe's places that the kernel refused while it took others: its name and why.
    virtual std::vector<std::string> skipped(size_t probe) const = 0;

    // Calls `work` during the run whenever this descriptor is readable. The caller keeps it open until the end.
    virtual Status watch(int descriptor, std::function<void()> work) = 0;

    // Sets a parameter; programs see it from their next run on.
    virtual Status set_param(size_t index, const std::vector<uint8_t>& bytes) = 0;
    // The bytes of all parameters as they are now; see Plan::params.
    virtual Result<std::vector<uint8_t>> params() const = 0;

    // While it runs: a map as print() shows it, and emptied as by clear(); both by index into Plan::maps. What is open
    // of a span, by index into Plan::spans.
    virtual Result<MapContent> map(size_t index) = 0;
    virtual Status clear(size_t index) = 0;
    virtual Result<OpenSpans> open_spans(size_t index) = 0;

    // Nothing is collected while it is paused: probes are detached and intervals do not run. Spans stay attached, so
    // that those which are open close with their right times, but none is opened.
    virtual Status pause() = 0;
    virtual Status resume() = 0;

    // Ends the run, too, once this descriptor is readable (a pidfd, say). The caller keeps it open until then.
    virtual Status end_with(int descriptor) = 0;

    // Ends the run after so long, counted from now.
    virtual Status end_after(uint64_t nanoseconds) = 0;
    // Ends the run once so many results were printed: by printf, print and the like. Before attach().
    virtual void end_after_results(uint64_t count) = 0;

    // Collects events until exit(), SIGINT, SIGTERM, a closed output or the end of what is watched (those signals are
    // blocked and read from a signalfd from load() on).
    virtual Ended run() = 0;

    // The same in turns, for several sessions at once: turn() is called whenever descriptor() is readable, and at the
    // latest after patience() (milliseconds; negative: no matter when). It waits for nothing, and tells how the run has
    // ended once it has.
    virtual int descriptor() const = 0;
    virtual int patience() const = 0;
    virtual std::optional<Ended> turn() = 0;
    virtual void stop() = 0;  // ends the run, as a signal does

    // Detaches, runs the END programs, prints what is left in the ring buffer and all maps that are not empty.
    virtual Status finish() = 0;
    virtual int exit_status() const = 0;  // of exit(status); 0 without; 1 where errors have ended the run
    virtual uint64_t errors() const = 0;  // that the program raised at run time and did not catch
    virtual std::vector<Loss> losses() const = 0;

    // As far as this kernel counts them: 6.7 and later count all.
    virtual std::vector<Missed> missed() const = 0;

    // The account of each span: opened = closed + open + what was lost of each kind (see losses()).
    struct Account {
        uint64_t opened = 0;
        uint64_t closed = 0;
        uint64_t open = 0;
        uint64_t left_out = 0;   // openings, by sampling
        uint64_t abandoned = 0;  // open when the span was detached
    };
    virtual Result<std::vector<Account>> accounts() const = 0;  // indexed as Plan::spans

    // Where it was measured throughout: since the probes were attached.
    virtual std::optional<TracingCost> costs() const = 0;

    // For --stats: instructions of each program as the kernel translated it, by name.
    struct ProgramFacts {
        std::string name;
        uint32_t instructions = 0;
        uint64_t misses = 0;
    };
    virtual std::vector<ProgramFacts> facts() const = 0;
};

}  // namespace lt
