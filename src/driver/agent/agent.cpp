#include "driver/agent/agent.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>

#include "base/text.h"
#include "driver/agent/accept.h"
#include "driver/agent/files.h"
#include "driver/cli/notify.h"
#include "driver/metrics/names.h"
#include "driver/report/report.h"
#include "driver/target/chosen_kernel.h"
#include "driver/tools/tools.h"
#include "runtime/border/script_signals.h"
#include "runtime/bpf/program.h"

namespace lt::agent {
namespace {

std::vector<std::string> params_in(const ReadFile& file) {
    std::vector<std::string> out;
    if (file.saved)
        for (const PlannedParam& param : file.saved->plans.front().params) out.push_back(param.name);
    else
        for (const ScriptParam& param : params_of(file.source)) out.push_back(param.name);
    return out;
}

// Without their values.
std::vector<Family> families_of(const Script& script) {
    std::vector<Family> out;
    for (const MapMetric& metric : script.metrics()) out.push_back(metric.family);
    return out;
}

void shorten(int& patience, int other) {
    if (other >= 0) patience = patience < 0 ? other : std::min(patience, other);
}

}  // namespace

void Agent::Candidate::start() {
    shared.kernel->declare({});  // each script has its own C declarations
    script = Script::start(path, std::move(file), std::move(command), shared, settings);
}

// ---- start

Result<std::unique_ptr<Agent>> Agent::open(const Command& command) {
    Result<AgentOptions> options = agent_options(command);
    if (!options) return options.error();
    std::unique_ptr<Agent> agent(new Agent(command, *std::move(options)));
    if (const Status started = agent->start(); !started) return started.error();
    return agent;
}

// Starting many scripts can take long: from here on a second signal ends the process.
Status Agent::take_signals() {
    // Scripts can have blocks for these: a script blocks them only in the thread that starts it, and there are others.
    // To the very end, so before those whose mask is restored.
    sigset_t of_scripts;
    sigemptyset(&of_scripts);
    for (const int signal : script_signals) sigaddset(&of_scripts, signal);
    pthread_sigmask(SIG_BLOCK, &of_scripts, nullptr);
    constexpr std::array ending{SIGINT, SIGTERM};
    constexpr std::array reloading{SIGHUP};
    Result<Signals> signals = Signals::block(ending);
    if (!signals) return signals.error();
    endings_.emplace(*std::move(signals));
    Result<Signals> hangups = Signals::block(reloading);
    if (!hangups) return hangups.error();
    hangups_.emplace(*std::move(hangups));
    Result<std::unique_ptr<Impatience>> impatience = Impatience::watch(*endings_);
    if (!impatience) return impatience.error();
    impatience_ = *std::move(impatience);
    return Done{};
}

Status Agent::start() {
    if (const Status taken = take_signals(); !taken) return taken;
    const Result<std::vector<std::string>> files = script_files(options_.words);
    if (!files) return files.error();
    if (files->empty())
        return Error{fmt::format("there are no scripts in {}", options_.words.front()),
                     "scripts are named *.lt, *.bt or *.stp, and saved plans *.plan", 0};
    // before the scripts, so that a wrong address costs no time
    Result<std::unique_ptr<HttpServer>> server =
        HttpServer::listen(options_.listen, [this](const HttpRequest& request) { return answer(request); });
    if (!server) return server.error();
    server_ = *std::move(server);
    facts_.version = LT_VERSION;
    if (options_.otlp) {
        Result<std::unique_ptr<Exporter>> exporter =
            Exporter::open(*options_.otlp, LT_VERSION, fmt::format("{}", server_->address().port));
        if (!exporter) return exporter.error();
        exporter_ = *std::move(exporter);
    }
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(command_);
    if (!kernel) return kernel.error();
    kernel_ = *std::move(kernel);
    measures_ = static_cast<bool>(bpf::measure_runs());
    if (const Status possible = can_measure(); !possible) return possible;
    Result<std::unique_ptr<Background>> background = Background::open();
    if (!background) return background.error();
    background_ = *std::move(background);
    for (const std::string& path : *files) {
        stopped_ = impatience_->take();
        if (stopped_) return Done{};
        Result<std::unique_ptr<Candidate>> next = candidate(path, read_file(path, command_));
        if (!next) return next.error();
        if (!*next) continue;
        (*next)->start();
        if (!(*next)->script) return Error{};  // diagnostics have been printed
        if (const Status possible = can_join(*(*next)->script); !possible) return possible;
        join((*next)->script);
    }
    kernel_.reset();
    if (const Status known = params_are_known(); !known) return known;
    if (const Status possible = late_is_possible(); !possible) return possible;
    facts_.most_series = options_.most_series;
    facts_.loaded = std::chrono::system_clock::now();
    if (options_.ttl) {
        deadline_ = Clock::now() + *options_.ttl;
        facts_.end = facts_.loaded + std::chrono::duration_cast<std::chrono::system_clock::duration>(*options_.ttl);
    }
    return Done{};
}

Shared Agent::shared_for(const std::string& word) {
    Shared out;
    out.kernel = kernel_.get();
    out.hangup_ends = false;  // it reloads
    OverheadOptions overhead;
    if (measures_) {
        overhead.measured = overhead.enforced = true;
        overhead.budget = options_.budget;
        overhead.allowance = [this, word](double share) { return budget_.allowance(word, share); };
        overhead.tell = [this, word](const OverheadNews& news) { hear(word, news); };
    }
    out.overhead = std::move(overhead);
    return out;
}

// Of a file; null if that is running already.
Result<std::unique_ptr<Agent::Candidate>> Agent::candidate(const std::string& path, Result<ReadFile> file) {
    if (!file) return file.error();
    const std::string word = script_word(path);
    const std::vector<std::string> params = params_in(*file);
    known_params_.insert(params.begin(), params.end());
    const auto old = runners_.find(word);
    const bool is_same = old != runners_.end() && old->second.script->runs(file->bytes);
    if (is_same && (old->second.script->is_measured() || !measures_)) return std::unique_ptr<Candidate>();
    if (const Status possible = can_measure(); !possible) return possible.error();
    if (file->saved && options_.late)
        return Error{fmt::format("{} is a saved plan, which does not know of --late", path),
                     "run the script instead, or leave out --late", 0};
    Command own = for_script(command_, params);
    if (measures_) own.options.try_emplace(Option::max_overhead, "100%");  // compiled so that it can be sampled
    return std::make_unique<Candidate>(path, *std::move(file), std::move(own), shared_for(word), script_settings());
}

// Are its metrics others than those of all scripts but the one that it replaces?
Status Agent::can_join(const Script& script) const {
    std::vector<std::pair<std::string, std::vector<Family>>> owners;
    std::vector<Family> facts = script_facts(script, {});
    add_families(facts, own_facts());
    owners.emplace_back("lt agent", std::move(facts));
    for (const auto& [word, runner] : runners_)
        if (word != script.word()) owners.emplace_back(runner.script->path(), families_of(*runner.script));
    owners.emplace_back(script.path(), families_of(script));
    return none_twice(owners);
}

void Agent::join(std::shared_ptr<Script> script) {
    Runner& runner = runners_[script->word()];
    runner.script = std::move(script);
    runner.savings.clear();
    runner.is_exhausted = false;
    if (const auto how = runner.script->turn()) end_script(runner, *how);  // BEGIN
}

Status Agent::params_are_known() {
    for (const ParamSetting& param : command_.params)
        if (!known_params_.contains(param.name))
            return Error{fmt::format("--{} is not an option of lt or a parameter of one of the scripts", param.name),
                         "`lt --help` lists the options", 0};
    return Done{};
}

ScriptSettings Agent::script_settings() const {
    ScriptSettings out{options_.most_series};
    if (options_.late) out.late = options_.late->count();
    out.traced = exporter_ != nullptr;
    return out;
}

Status Agent::late_is_possible() const {
    const auto has_spans = [](const auto& runner) { return runner.second.script->has_spans(); };
    if (!options_.late || std::ranges::any_of(runners_, has_spans)) return Done{};
    return Error{"--late is about spans, and no script has one",
                 "a span is written like `sc:fsync < @ns = dist(...) >`, in lt's own language", 0};
}

Status Agent::can_measure() const {
    if (measures_ || !options_.has_budget) return Done{};
    return Error{"the kernel does not measure what programs cost, so --max-overhead cannot be kept",
                 "run it as root, or once as root `sysctl kernel.bpf_stats_enabled=1`, or leave out --max-overhead", 0};
}

void Agent::announce() {
    size_t probes = 0;
    for (const auto& [word, runner] : runners_) probes += planned_places(runner.script->plan());
    if (!options_.quiet) {
        fmt::print(stderr, "lt: {}, {}; metrics on http://{}/metrics; Ctrl-C to end\n",
                   plural(runners_.size(), "script"), plural(probes, "probe"), address_text(server_->address()));
        if (!measures_)
            fmt::print(
                stderr,
                "lt: what the scripts cost is not measured or limited: that needs CAP_SYS_ADMIN, or once as root "
                "`sysctl kernel.bpf_stats_enabled=1`\n");
    }
    notify_service(fmt::format("READY=1\nSTATUS={}, metrics on http://{}/metrics", plural(runners_.size(), "script"),
                               address_text(server_->address())));
    if (options_.ready_fd) tell_ready(*options_.ready_fd);
}

// ---- run

int Agent::run() {
    if (!stopped_) announce();
    while (!is_over()) {
        wait();
        handle_signals();
        turn_scripts();
        background_->turn();
        server_->serve();
        export_metrics();
    }
    notify_service("STOPPING=1\nSTATUS=Detaching");
    impatience_->run_is_over();
    background_->finish();
    for (auto& [word, runner] : runners_) export_late(*runner.script);
    if (exporter_) exporter_->send(collect());
    for (auto& [word, runner] : runners_) runner.script->end(Script::State::exited);
    if (exporter_) exporter_->finish();
    return 0;
}

void Agent::wait() {
    std::vector<pollfd> descriptors{{impatience_->descriptor(), POLLIN, 0},
                                    {hangups_->descriptor(), POLLIN, 0},
                                    {server_->descriptor(), POLLIN, 0},
                                    {background_->descriptor(), POLLIN, 0}};
    int patience = server_->patience();
    for (const auto& [word, runner] : runners_) {
        const Session* session = runner.script->session();
        if (!session) continue;
        descriptors.push_back({session->descriptor(), POLLIN, 0});
        shorten(patience, session->patience());
    }
    if (deadline_) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
        shorten(patience, static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
    }
    if (exporter_) shorten(patience, exporter_->patience());
    ::poll(descriptors.data(), descriptors.size(), patience);  // an error is a signal, which is looked at next
}

void Agent::handle_signals() {
    if (impatience_->take()) stopped_ = true;
    while (hangups_->next() != 0) reload_ ? void(reloads_again_ = true) : begin_reload();
}

void Agent::turn_scripts() {
    for (auto& [word, runner] : runners_) {
        if (const auto how = runner.script->turn()) end_script(runner, *how);
        export_late(*runner.script);
        if (!std::exchange(runner.is_exhausted, false)) continue;
        fmt::print(stderr, "lt: {} is stopped, because it costs too much\n", runner.script->path());
        end_script(runner, Script::State::over_budget);
    }
    for (const auto& [word, runner] : runners_)
        if (runner.script->state() != Script::State::running) budget_.forget(word);
}

void Agent::end_script(const Runner& runner, Script::State how) {
    runner.script->begin_end(how);
    background_->add([script = runner.script] { script->detach(); },
                     [script = runner.script] { script->finish_end(); });
}

void Agent::hear(const std::string& word, const OverheadNews& news) {
    const bool stops = news.what == OverheadNews::What::unmeasured;
    const bool is_setting = stops || news.what == OverheadNews::What::measured;
    if (stops) budget_.forget(word);
    if (is_setting) measures_ = !stops;
    if (is_setting && std::exchange(is_stop_reported_, stops) == stops) return;  // another script has reported it
    report_overhead(news, *printer_, stderr);
    discarded_.text.clear();
    const auto found = runners_.find(word);
    if (found == runners_.end() || is_setting) return;
    Runner& runner = found->second;
    Saving& saving = runner.savings[news.probe];
    switch (news.what) {
        case OverheadNews::What::warning:
        case OverheadNews::What::unmeasured:
        case OverheadNews::What::measured:
            break;
        case OverheadNews::What::sampled:
            saving.one_of = news.one_of;
            break;
        case OverheadNews::What::detached:
        case OverheadNews::What::detached_whole:
            saving.detached = true;
            break;
        case OverheadNews::What::too_late:
            runner.is_exhausted = true;
            break;
    }
}

// ---- answers

HttpReply Agent::answer(const HttpRequest& request) {
    HttpReply reply;
    if (request.path == "/metrics") {
        const ExpositionFormat& format = accepted_format(request.accept);
        reply.content_type = format.content_type;
        reply.body = format.write(collect());
        return reply;
    }
    if (request.path == "/") {
        reply.body = "lt agent: metrics are at /metrics\n";
        for (const auto& [word, runner] : runners_)
            reply.body += fmt::format("{} {}\n", runner.script->path(), state_name(runner.script->state()));
        return reply;
    }
    return {404, reply.content_type, "not found: metrics are at /metrics\n"};
}

std::vector<Family> Agent::collect() {
    const Clock::time_point begin = Clock::now();
    std::vector<Family> out, facts;
    for (auto& [word, runner] : runners_) {
        add_families(out, runner.script->families());
        std::vector<Family> own = script_facts(*runner.script, runner.savings);
        add_earlier(own, runner.facts_before);
        add_families(facts, std::move(own));
    }
    facts_.collecting = Clock::now() - begin;
    add_families(out, std::move(facts));
    add_families(out, own_facts());
    for (Family& family : out)
        if (family.since == 0) family.since = since_;
    return out;
}

std::vector<Family> Agent::own_facts() const {
    std::vector<Family> out = agent_facts(facts_, measures_ ? &budget_ : nullptr, *server_);
    if (exporter_) add_families(out, exporter_->facts());
    return out;
}

void Agent::export_late(Script& script) {
    if (!exporter_) return;
    for (LateTrace& trace : script.take_late()) exporter_->add(std::move(trace));
}

void Agent::export_metrics() {
    if (!exporter_) return;
    exporter_->send_traces();
    if (exporter_->wants_metrics()) exporter_->send(collect());
}

}  // namespace lt::agent
