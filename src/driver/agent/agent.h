// `lt agent`: runs scripts for as long as the machine does, and serves what their maps hold as metrics. One thread
// waits for signals, HTTP clients and all sessions at once. What would keep clients waiting is done in another:
// reading files, compiling and detaching.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/agent/background.h"
#include "driver/agent/budget.h"
#include "driver/agent/exporter.h"
#include "driver/agent/files.h"
#include "driver/agent/options.h"
#include "driver/agent/own_metrics.h"
#include "driver/agent/script.h"
#include "driver/exposition/formats.h"
#include "driver/http/server.h"
#include "runtime/os/signals.h"
#include "runtime/print/printer.h"

namespace lt::agent {

class Agent {
  public:
    // Starts every script, then listens. An Error if one of them cannot run; diagnostics have been printed then. After
    // a signal that ends an agent no further script is started.
    static Result<std::unique_ptr<Agent>> open(const Command& command);

    // Until SIGINT or SIGTERM, or the end of --ttl; returns the exit status.
    int run();

  private:
    using Clock = std::chrono::steady_clock;
    struct Runner {
        std::shared_ptr<Script> script;
        Savings savings;
        bool is_exhausted = false;              // it costs too much, and nothing of it can be saved any more
        std::vector<Family> facts_before = {};  // of runs before a reload
    };
    // A script that is not started yet.
    struct Candidate {
        std::string path;
        ReadFile file;
        Command command;
        Shared shared;
        ScriptSettings settings;
        std::shared_ptr<Script> script = {};  // once it is; null if it could not be started
        void start();
    };
    struct FoundFile {
        std::string path;
        Result<ReadFile> file;
    };
    struct Found;

    Agent(Command command, AgentOptions options)
        : command_(std::move(command)), options_(std::move(options)), budget_(options_.budget) {}
    Status take_signals();
    Status start();
    Result<std::unique_ptr<Candidate>> candidate(const std::string& path, Result<ReadFile> file);
    Status can_join(const Script& script) const;
    void join(std::shared_ptr<Script> script);
    Status params_are_known();
    Status late_is_possible() const;
    Status can_measure() const;
    ScriptSettings script_settings() const;
    Shared shared_for(const std::string& word);
    void hear(const std::string& word, const OverheadNews& news);
    void announce();

    void begin_reload();
    Found find_files() const;
    void take_files(Found& found);
    void reload_next();
    void replace(const std::shared_ptr<Script>& script);
    void not_reloaded(const std::string& path, const Error& why);
    void end_reload();
    void finish_reload();

    void handle_signals();
    void wait();
    void turn_scripts();
    void end_script(const Runner& runner, Script::State how);
    bool is_over() const { return stopped_ || (deadline_ && Clock::now() >= *deadline_); }
    HttpReply answer(const HttpRequest& request);
    std::vector<Family> collect();
    std::vector<Family> own_facts() const;
    void export_late(Script& script);
    void export_metrics();

    const Command command_;
    const AgentOptions options_;
    SharedBudget budget_;
    bool measures_ = false;          // the kernel measures what programs cost
    bool is_stop_reported_ = false;  // that it has stopped measuring
    TextSink discarded_;
    std::unique_ptr<Printer> printer_ = text_printer(discarded_);
    std::optional<Signals> endings_, hangups_;  // SIGINT and SIGTERM; SIGHUP
    std::unique_ptr<Impatience> impatience_;    // reads endings_
    std::unique_ptr<Kernel> kernel_;            // while scripts are started
    std::map<std::string, Runner> runners_;     // by script_word()
    std::set<std::string> known_params_;
    std::unique_ptr<HttpServer> server_;
    std::unique_ptr<Exporter> exporter_;  // null: without --otlp
    std::optional<Clock::time_point> deadline_;
    const int64_t since_ = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    AgentFacts facts_;
    bool stopped_ = false;
    bool reloads_again_ = false;                   // SIGHUP came during a reload
    std::optional<std::deque<FoundFile>> reload_;  // those that are still to be looked at
    std::set<std::string> reloaded_;               // words of all files of this reload
    bool reload_failed_ = false;
    std::unique_ptr<Background> background_;  // last: it uses the others
};

}  // namespace lt::agent
