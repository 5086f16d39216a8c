// A plan that runs in this kernel: loads, attaches, waits and ends, together with the output, the command of -c, the
// process of -p, the control socket and standard input.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "base/stage.h"
#include "driver/cli/command.h"
#include "driver/cli/output.h"
#include "driver/control/control.h"
#include "driver/report/trace.h"
#include "driver/run/page_looks.h"
#include "driver/run/script_input.h"
#include "driver/target/child.h"
#include "driver/view/live_view.h"
#include "recording/recording.h"
#include "runtime/border/kernel.h"
#include "runtime/border/target.h"
#include "runtime/early/early.h"
#include "runtime/session/session.h"

namespace lt {

struct Job;

// Shared by the runs of one process: those of the console, and those of the agent. It outlives them.
struct Shared {
    Kernel* kernel = nullptr;  // null: the run opens its own
    Sink* sink = nullptr;      // null: results go where the command line says
    std::FILE* messages = stderr;
    Printer* printer = nullptr;  // null: results are printed as the command line says
    bool alone = true;           // else the run leaves signals, announcements and the control socket to others
    bool hangup_ends = true;     // SIGHUP ends what runs; else the caller has another use for it
    // Is this a plan that the caller can run? If not, adds diagnostics. Called before the plan is loaded; null: any is.
    std::function<bool(Job&)> accepts = {};
    std::optional<OverheadOptions> overhead = {};  // instead of the command line's
};

struct RunSettings {
    Traced traced = {};
    uint64_t most_results = 0;                // 0: no limit
    uint64_t duration_ns = 0;                 // 0: no limit
    std::optional<StartTime> start = {};      // none: at once
    std::optional<double> max_overhead = {};  // as a share of all CPUs' time
    bool shows_progress = false;
    KeepOptions keep = {};                 // of the flight recorder
    bool keeps = false;                    // the user says something about it
    const Recording* recording = nullptr;  // what is read instead of the kernel; it outlives the run
};

bool is_last(const Plan& plan, const Refusal& refusal);  // is it the last way on its ladder?
size_t own_probes(const Plan& plan);                     // number of probes that the script names
size_t planned_places(const Plan& plan);                 // number of locations to trace

class Run {
  public:
    // Opens the output. The command line and the source outlive the run.
    static Result<std::unique_ptr<Run>> open(const Command& command, const Source& source, const Shared& shared,
                                             RunSettings settings);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // Starts that of -c, which waits until all is attached.
    Status start_command(Child::Memory memory = Child::Memory::shared);
    int command_pid() const { return child_ ? child_->pid() : 0; }

    // Begins what takes the kernel long, for a plan that will be loaded soon; see Early.
    void prepare(const Plan& plan);
    // Both return what the kernel refused and another way could do; empty: success. The plan outlives the run, or is
    // loaded again after unload(). `last` is the stage after which the run ends.
    Result<std::vector<Refusal>> load(const Plan& plan, Stage last);
    Result<std::vector<Refusal>> attach();
    void unload() { session_.reset(); }

    Status collect();       // waits for the end, and prints the results
    Status end(Ended how);  // the second half, for a session whose turns the caller takes
    Session& session() { return *session_; }
    const TableView& view() const { return output_->view(); }
    size_t places() const;        // that are traced
    std::string waiting() const;  // what a run that is being attached waits for; may be empty
    int exit_status() const { return exit_status_; }

  private:
    Run(const Command& command, const Source& source, const Shared& shared, RunSettings settings)
        : command_(command), source_(source), shared_(shared), settings_(settings) {}
    Status open_output();
    Result<std::unique_ptr<Session>> load_session(const Plan& plan, Stage last, std::vector<Refusal>& refused);
    Printer& printer() { return shared_.printer ? *shared_.printer : output_->printer(); }
    OverheadOptions overhead();
    KeepOptions keep() const;
    std::FILE* messages() const;
    size_t attached() const;  // probes, as bpftrace counts them
    Status watch_process();
    Status begin();
    Status release_child();
    void listen();
    uint64_t time_left() const;   // of --duration
    void wait_for(int64_t time);  // see SessionOptions::awaits
    void print_start();
    void print_ways();
    void print_skipped();
    void report_wait(Ended how);
    void report_end();
    void report_threads();
    void print_run(const std::vector<ResultFact>& maps);

    const Command& command_;
    const Source& source_;
    const Shared shared_;
    const RunSettings settings_;
    const Plan* plan_ = nullptr;
    std::unique_ptr<Early> early_;
    int exit_status_ = 0;
    std::chrono::steady_clock::time_point began_ = {}, ended_ = {};  // to trace
    std::chrono::steady_clock::duration paused_{};
    std::atomic<int64_t> awaited_ = 0;  // the time to start at, in nanoseconds since 1970, while it waits
    std::unique_ptr<LiveView> live_;    // for --live
    std::unique_ptr<Output> output_;
    std::unique_ptr<Child> child_;  // before the session, so that nothing is attached while it is made to end
    std::unique_ptr<Session> session_;
    int process_ = -1;  // a descriptor of the process of -p
    std::unique_ptr<Trace> trace_;
    std::unique_ptr<Traces> traces_;
    std::unique_ptr<Control> control_;
    std::unique_ptr<ScriptInput> input_;
    std::unique_ptr<PageLooks> looks_;  // for --html
};

}  // namespace lt
