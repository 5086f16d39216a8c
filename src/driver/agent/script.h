// One script of the agent: compiled, attached, collecting; what its maps hold as metrics, also after it has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/agent/files.h"
#include "driver/agent/late_calls.h"
#include "driver/cli/command.h"
#include "driver/metrics/map_metrics.h"
#include "driver/metrics/series.h"
#include "driver/run/job.h"

namespace lt::agent {

// The part of a script that a reload keeps: the values of the runs before. No more series than are shown.
struct Kept {
    std::map<std::string, Family> families = {};  // by name
    std::map<std::string, SeriesLimit> limits = {};
    std::optional<std::chrono::system_clock::time_point> since = {};  // the first of them was started then
};

struct ScriptSettings {
    size_t most_series = 0;
    std::optional<int64_t> late = {};  // --late, in nanoseconds
    bool traced = false;               // late calls are sent as traces
};

class Script {
  public:
    // How one of its runs has ended.
    enum class State : uint8_t { running, exited, failed, over_budget };

    // `file` is what the path holds. `command` has the options that all scripts share. `shared` says where messages go
    // and what the cost may be. Null, with diagnostics printed, if it cannot run or cannot be metrics.
    static std::unique_ptr<Script> start(const std::string& path, ReadFile file, Command command, const Shared& shared,
                                         const ScriptSettings& settings);

    const std::string& path() const { return path_; }
    const std::string& word() const { return word_; }  // in names of metrics
    State state() const { return state_; }
    const Plan& plan() const { return job_->plan; }
    // Does it run just what the file holds? Not if it imports other files, which may have changed.
    bool runs(std::string_view bytes) const;
    bool is_measured() const;  // are its costs measured and limited?
    const std::vector<MapMetric>& metrics() const { return metrics_; }
    std::chrono::system_clock::time_point started() const { return started_; }
    // When its counters were zero, in nanoseconds since 1970.
    int64_t since() const;
    Session* session() { return remains_ ? nullptr : &job_->run->session(); }  // null: its end has begun

    // Handles what is waiting. If the run has ended, how: the caller ends it.
    std::optional<State> turn();

    // The end, in three steps, because the second one can take a second: it may run in another thread. The script
    // keeps what it has collected; what comes after the first step is seen after the last one. A second end does
    // nothing.
    void begin_end(State how);
    void detach();
    void finish_end();
    // All three.
    void end(State how);
    // Instead of detach(), for a script whose end has begun: this one takes its place. The two overlap for a moment:
    // the old one stops, then this one forgets what it has counted until then.
    void replace(Script& old);
    // Adds the values of the script that it has replaced to its own from here on, and at the end of that once more.
    void inherit(Script& old);

    // Of all maps; in the order of the plan.
    std::vector<Family> families();
    // Series without a place of their own, by map.
    size_t over_limit(const MapMetric& metric) const;
    std::vector<Loss> losses() const;
    std::vector<Missed> missed() const;
    std::vector<Session::Account> accounts() const;
    std::vector<ProbeCost> costs() const;  // indexed like Plan::probes; empty if it is not measured
    // Events that sampling left out, by index into Plan::maps, at the last look at the maps.
    const std::map<size_t, Sampled>& sampled() const { return sampled_; }
    uint64_t failed_reads() const { return failed_reads_; }  // of maps
    // Calls longer than --late: those since the last call of this, and how many there were.
    std::vector<LateTrace> take_late();
    std::optional<uint64_t> late() const;
    bool has_spans() const { return has_spans_; }

  private:
    // The last state of a run, or that at the beginning of its end.
    struct Remains {
        std::vector<Family> families;
        std::optional<uint64_t> late;
        std::vector<Loss> losses;
        std::vector<Missed> missed;
        std::vector<Session::Account> accounts;
        std::vector<ProbeCost> costs;
    };

    Script(std::string path, Command command, const ScriptSettings& settings)
        : path_(std::move(path)), command_(std::move(command)), settings_(settings) {}
    std::unique_ptr<PlanMaker> maker(ReadFile& file);
    void receive_late(Shared& shared);
    Remains remains();
    std::vector<Family> read();   // of this run
    std::vector<Family> whole();  // and of those before it; all series
    bool accepts(Job& job);

    const std::string path_;
    std::string word_;
    const Command command_;
    std::string bytes_;  // of the file
    const ScriptSettings settings_;
    bool has_spans_ = false;
    std::unique_ptr<Sink> sink_;
    std::unique_ptr<Printer> printer_;  // of what late_ passes on
    std::unique_ptr<LateCalls> late_;   // null: without --late
    std::unique_ptr<Job> job_;
    std::vector<MapMetric> metrics_;
    State state_ = State::running;
    std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
    std::optional<Remains> remains_;
    State ends_as_ = State::exited;  // once remains_ is there
    bool is_detached_ = false;
    Kept kept_;
    std::map<size_t, Sampled> sampled_;
    uint64_t failed_reads_ = 0;
};

std::string_view state_name(Script::State state);

}  // namespace lt::agent
